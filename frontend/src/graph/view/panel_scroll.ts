// Scrolls the panel to a field, with its label and what is said of it.

const GAP = 8;

/** How far a room has to scroll to show a box: by nothing if it is in sight, to its top if it is higher than the room. */
export function scrollBy(box: { readonly top: number; readonly bottom: number }, room: { readonly top: number; readonly bottom: number }): number {
  if (box.top < room.top + GAP) return box.top - room.top - GAP;
  const below = box.bottom + GAP - room.bottom;
  return below > 0 ? Math.min(below, box.top - room.top - GAP) : 0;
}

/** Only the panel scrolls: scrollIntoView would also move the frame around it. */
export function showInPanel(field: Element | null): void {
  const room = [".editor-panel-top", ".editor-panel"].map((each) => field?.closest(each)).find((each) => each && each.scrollHeight > each.clientHeight && getComputedStyle(each).overflowY === "auto");
  if (!field || !room) return;
  const { top, bottom } = room.getBoundingClientRect();
  const covered = Number.parseFloat(getComputedStyle(room).scrollPaddingBottom) || 0;
  room.scrollTop += scrollBy((field.closest(".field") ?? field).getBoundingClientRect(), { top, bottom: bottom - covered });
}
