// Links to messages and their comments: what a place of the address names, and what holds the page there.

const OF_MESSAGE = /^#m([0-9]{1,9})$/;
const OF_COMMENT = /^#c([0-9]{1,18})$/;

/** The number of the message that `#m12` names; null for other places. */
export function messageIn(hash: string): string | null {
  return OF_MESSAGE.exec(hash)?.[1] ?? null;
}

/** The number of the comment that `#c7` names; null for other places. */
export function commentIn(hash: string): string | null {
  return OF_COMMENT.exec(hash)?.[1] ?? null;
}

/** The page on which a message stands that is not on this one; null if it was asked for already, or is `near` what was hidden. */
export function pageWith(message: string, address: string): string | null {
  const url = new URL(address);
  if (url.searchParams.get("at") === message || url.searchParams.get("near") === message) return null;
  url.searchParams.delete("start");
  url.searchParams.delete("near");
  url.searchParams.set("at", message);
  return url.href;
}

/** What keeps its place while sections load, which push away what stands below them. */
interface Hold {
  /** The message or comment of the address, or what stood in sight before a change, stays there until the reader takes over. */
  readonly message: boolean;
  /** So do the words in it that are looked for. */
  readonly words: boolean;
  /** End was pressed: sections that load on the way down have other heights than their places. */
  readonly end: boolean;
}

export interface Pressed {
  readonly key?: string;
  readonly shiftKey?: boolean;
  readonly altKey?: boolean;
}

/** `isBack` tells that the page was shown before the change that leads to it. */
export function heldAt(address: string, isBack = false): Hold {
  const { hash, searchParams } = new URL(address);
  const isComment = commentIn(hash) !== null;
  const isNamed = isComment || messageIn(hash) !== null;
  return { message: isNamed || isBack, words: isNamed && Boolean(searchParams.get(isComment ? "words" : "q")), end: false };
}

/** After a key, a wheel or a pointer; `isTyping` tells that the key belongs to a field. */
export function takenOver({ key, shiftKey, altKey }: Pressed, isTyping: boolean): Hold {
  return { message: false, words: false, end: key === "End" && !shiftKey && !altKey && !isTyping };
}

/** Where the upper edge of a message stands, in pixels from that of the window. */
export interface Place {
  readonly id: string;
  readonly top: number;
}

/** The first of the messages in sight that is still there: what a change takes away moves up what is below it. */
export function anchorOf(places: readonly Place[], isThere: (id: string) => boolean): Place | undefined {
  return places.find(({ id }) => isThere(id));
}

/** By how much to scroll so that something from `top` to `bottom` stands in a room; of what is higher, its beginning. */
export function scrollTo(top: number, bottom: number, room: number): number {
  if (top < 0) return top;
  return Math.max(0, Math.min(bottom - room, top));
}
