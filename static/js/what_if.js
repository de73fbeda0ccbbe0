// What if: the page asks for one execution after the other. A run can be stopped between two of
// them, and goes on by its button.

let stopped = false;

function show() {
  const form = document.getElementById("what-if-next");
  form?.querySelector("[data-go-on]").toggleAttribute("hidden", !stopped);
  form?.querySelector("[data-stop]").toggleAttribute("hidden", stopped);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#what-if-next [data-stop]")) stopped = true;
  else if (event.target.closest("#what-if-next [data-go-on], #what-if > form [type=submit]")) stopped = false;
  else return;
  show();
  document.querySelector("#what-if-next [data-go-on]:not([hidden])")?.focus();
});

// The form asks by itself when it appears: not while the run is stopped.
document.addEventListener("htmx:config:request", (event) => {
  if (stopped && event.detail.ctx.sourceElement?.id === "what-if-next") event.preventDefault();
});

document.addEventListener("htmx:after:swap", show);
show();
