// Keeps the page still while a pointer is pressed, or moves over an element with data-hold-still. A
// script that would move what is on the page by itself sends `page:still` with {then}, which is called
// at once, or when the pointer is released and its click was heard, or rests.

import { PointerHold } from "./model";

const RESTS_MS = 2000;
const hold = new PointerHold((then) => setTimeout(then)); // the click follows the release
let resting = 0;

function hover({ target, pointerType }: PointerEvent): void {
  clearTimeout(resting);
  const isOver = pointerType === "mouse" && target instanceof Element && target.closest("[data-hold-still]") !== null;
  if (!isOver) return hold.rest();
  hold.hover();
  resting = window.setTimeout(() => hold.rest(), RESTS_MS);
}

document.addEventListener("pointerdown", ({ button }) => hold.press(button), true);
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => hold.release(), true);
document.addEventListener("pointermove", (event) => (hold.move(event.buttons), hover(event)), true);
document.addEventListener("pointerleave", () => hold.rest());
window.addEventListener("blur", () => (hold.release(), hold.rest()));
document.addEventListener("page:still", (event) => hold.run((event as CustomEvent<{ readonly then: () => void }>).detail.then));
