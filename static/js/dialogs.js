// Opens the confirm page of a link with data-dialog in a dialog; without it the page opens.

const dialog = document.getElementById("dialog");
const body = document.getElementById("dialog-body");

async function open(link) {
  await window.htmx.ajax("GET", link.href, { target: body, swap: "innerHTML", select: "#confirm" });
  if (!body.firstElementChild) {
    location.assign(link.href);
    return;
  }
  const title = body.querySelector("[data-dialog-title]");
  if (title) dialog.setAttribute("aria-label", title.textContent.trim());
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-dialog]");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  if (link && plain && window.htmx && dialog) {
    event.preventDefault();
    body.replaceChildren();
    open(link);
  } else if (event.target.closest("[data-close-dialog]")) {
    event.preventDefault();
    event.target.closest("dialog").close();
  } else if (event.target.matches?.("dialog.dialog")) {
    event.target.close(); // a click on the backdrop
  }
});
