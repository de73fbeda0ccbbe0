// One stop for Tab in the messages: the one that the reader is at, then what is in it. Else a page of
// 300 messages has 2,400 stops. Without this script each control is a stop.

const MESSAGES = ".conversation .message[id]";
const CONTROLS = "a[href], button, summary, input";
let stop: HTMLElement | null = null;

function controls(message: HTMLElement): HTMLElement[] {
  return [...message.querySelectorAll<HTMLElement>(CONTROLS)].filter((each) => each.closest(".message") === message);
}

function close(message: HTMLElement): void {
  message.tabIndex = -1;
  message.dataset.roved = "";
  for (const each of controls(message)) each.tabIndex = -1;
}

function open(message: HTMLElement): void {
  message.tabIndex = 0;
  for (const each of controls(message)) each.removeAttribute("tabindex");
}

/** Tab comes to this message from now on. */
export function stopAt(message: HTMLElement | null | undefined): void {
  if (!message || (message === stop && message.tabIndex === 0)) return;
  if (stop?.isConnected) close(stop);
  stop = message;
  open(message);
}

/**
 * Messages that came, or were fetched again, have no stops; one of all has them. Where the reader is
 * takes a layout of what just came, so it is asked for only if the stop itself was fetched again.
 */
export function rove(current: () => HTMLElement | null | undefined): void {
  for (const each of document.querySelectorAll<HTMLElement>(`${MESSAGES}:not([data-roved])`)) close(each);
  for (const each of document.querySelectorAll<HTMLElement>(".message-section-waiting > a")) each.tabIndex = -1;
  if (stop?.isConnected) open(stop);
  else stopAt(current() ?? document.querySelector<HTMLElement>(MESSAGES));
}
