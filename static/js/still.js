// Keeps the page still while a pointer is pressed: a button that moves between press and release is
// not clicked at all. A script that would move what is on the page by itself sends `page:still` with
// {then}, which is called at once, or when the pointer is released and its click was heard.

let pressed = false;
let waiting = [];

function release() {
  if (!pressed) return;
  pressed = false;
  const now = waiting;
  waiting = [];
  setTimeout(() => now.forEach((then) => then())); // the click follows the release
}

document.addEventListener("pointerdown", ({ button }) => (pressed ||= button === 0), true);
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, release, true);
// A release outside of the window is not always told.
document.addEventListener("pointermove", ({ buttons }) => buttons || release(), true);
window.addEventListener("blur", release);

document.addEventListener("page:still", ({ detail }) => {
  if (pressed) waiting.push(detail.then);
  else detail.then();
});
