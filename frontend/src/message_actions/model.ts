// Which actions a message has, and the addresses and names that the page's template leaves open.

/** A message as its actions see it; `position` is its place in the current view, null if it has none to select. */
export interface MessageFacts {
  readonly index: string;
  readonly position: string | null;
  readonly path: string;
  readonly isPinned: boolean;
  readonly isWhole: boolean;
}

const CONDITIONS: Readonly<Record<string, (message: MessageFacts) => boolean>> = {
  selectable: ({ position }) => position !== null,
  pinned: ({ isPinned }) => isPinned,
  unpinned: ({ isPinned }) => !isPinned,
  whole: ({ isWhole }) => isWhole,
};

/** True if an action with this `data-when` is one of the message's; without a condition every message has it. */
export function hasAction(when: string | undefined, message: MessageFacts): boolean {
  return when === undefined || (CONDITIONS[when]?.(message) ?? false);
}

/** A text of the template with `{index}`, `{position}` and `{message}`, the path of the message's page. */
export function filled(text: string, { index, position, path }: MessageFacts): string {
  const values: Readonly<Record<string, string>> = { "{index}": index, "{position}": position ?? "", "{message}": path };
  return text.replace(/\{(?:index|position|message)\}/g, (name) => values[name] ?? name);
}
