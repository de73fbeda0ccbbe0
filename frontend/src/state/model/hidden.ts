// Signs that a reader cannot see, or that turn what stands around them, as the escapes that JSON has for them.

// Joiners stay: emoji and words of some scripts need them.
export const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]/g;

/** The text with what is hidden in it named. */
export function shown(text: string): string {
  return text.replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for a place where nothing is JSON, as the pages of the server name it: U+202E. */
export function named(text: string): string {
  return text.replace(HIDDEN, (sign) => `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
}
