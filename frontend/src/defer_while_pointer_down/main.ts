// Keeps the page still while a pointer is pressed. A script that would move what is on the page by
// itself sends `page:still` with {then}, which is called at once, or when the pointer is released and
// its click was heard.

import { PointerHold } from "./model";

const hold = new PointerHold((then) => setTimeout(then)); // the click follows the release

document.addEventListener("pointerdown", ({ button }) => hold.press(button), true);
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => hold.release(), true);
document.addEventListener("pointermove", ({ buttons }) => hold.move(buttons), true);
window.addEventListener("blur", () => hold.release());
document.addEventListener("page:still", (event) => hold.run((event as CustomEvent<{ readonly then: () => void }>).detail.then));
