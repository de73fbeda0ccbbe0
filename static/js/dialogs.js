// Opens the confirm page of a link with data-dialog in a dialog; without it the page opens. If no
// answer comes, shell.js says so, and the page stays with what is typed in it.

const dialog = document.getElementById("dialog");
const body = document.getElementById("dialog-body");

const FIELD = "[autofocus], textarea, select, input:not([type=hidden], [type=checkbox], [type=radio])";

let answered = true;

document.addEventListener("htmx:error", () => (answered = false));
document.addEventListener("htmx:response:error", ({ detail }) => (answered = detail.ctx.response.status < 500));

async function open(link) {
  answered = true;
  await window.htmx.ajax("GET", link.href, { target: body, swap: "innerHTML", select: "#confirm" });
  if (!body.firstElementChild) {
    if (answered) location.assign(link.href);
    return;
  }
  const title = body.querySelector("[data-dialog-title]");
  if (title) dialog.setAttribute("aria-label", title.textContent.trim());
  dialog.showModal();
  // Else the first thing has it, which closes the dialog.
  body.querySelector(FIELD)?.focus({ preventScroll: true });
  dialog.scrollTop = 0; // what is asked comes before what is typed
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-dialog]");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  if (link && plain && window.htmx && dialog) {
    event.preventDefault();
    body.replaceChildren();
    open(link);
  } else if (event.target.closest("dialog [data-close-dialog]")) {
    event.preventDefault(); // on a page of its own the link leads back
    event.target.closest("dialog").close();
  } else if (event.target.matches?.("dialog.dialog")) {
    event.target.close(); // a click on the backdrop
  }
});
