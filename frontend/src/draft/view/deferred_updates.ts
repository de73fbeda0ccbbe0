// Defers updates that move the page until a click ends; see defer_while_pointer_down.

export function whenStill(then: () => void): void {
  document.dispatchEvent(new CustomEvent("page:still", { detail: { then } }));
}

export function still(): Promise<void> {
  return new Promise((then) => whenStill(then));
}
