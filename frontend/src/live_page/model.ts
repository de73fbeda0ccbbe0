// The texts of a live page about changes and people; the page puts them in their places.

/** A change as the socket tells it. */
export interface Frame {
  readonly seq?: number;
  readonly type?: string;
  readonly status?: string;
  readonly what?: string;
  readonly version?: number | null;
  readonly keys?: readonly string[];
  readonly who?: { readonly kind: string; readonly id: string; readonly name: string } | null;
}

/** The texts of components/live.html that speak of changes. */
export interface ChangeTexts {
  readonly another: string;
  readonly moved: string;
  /** What is said before it of a decision. */
  readonly approved: string;
  readonly rejected: string;
  readonly changed: string;
  readonly changedKeys: string;
  readonly changedYou: string;
  readonly changedKeysYou: string;
  readonly changedSeen: string;
  /** What is said after them to someone who has typed. */
  readonly kept: string;
}

export interface Seen {
  /** The execution that the form is of, and that of the conversation now. */
  readonly shown?: string;
  readonly execution?: string | null;
  /** The person of this page. */
  readonly me: string;
  /** The form is being applied. */
  readonly isApplying: boolean;
  /** Something was typed that is not applied. */
  readonly hasEdits: boolean;
}

/** Notes by name; "" takes one away, and one that is not named stays as it is. */
export interface Notes {
  readonly moved?: string;
  readonly changed?: string;
}

export function filled(text: string, values: { readonly [name: string]: unknown }): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (values[name] == null ? whole : String(values[name])));
}

function isOf({ who }: Frame, me: string): boolean {
  return who?.kind === "person" && who.id === me;
}

/** Who else decided; "" of anything else. */
function decisionOf(frame: Frame, me: string, { approved, rejected }: ChangeTexts): string {
  const words = { "execution.approve": approved, "execution.reject": rejected }[frame.what ?? ""];
  return words && frame.who && !isOf(frame, me) ? filled(words, { who: frame.who.name }) : "";
}

/** In edit mode what is typed stays, and the page says what became of its base. */
export function notesOf(frame: Frame, { shown, execution, me, isApplying, hasEdits }: Seen, texts: ChangeTexts, nameOf: (status: string) => string): Notes {
  // The versions of another execution are not those of the form.
  if (shown && execution && execution !== shown) return { moved: texts.another, changed: "" };
  if (frame.status && frame.status !== "PAUSED") return { moved: decisionOf(frame, me, texts) + filled(texts.moved, { status: nameOf(frame.status) }), changed: "" };
  const isMine = isOf(frame, me);
  if (isMine && isApplying) return { moved: "" }; // it is what this page writes
  const kept = hasEdits ? texts.kept : "";
  if (!frame.who) return { moved: "", changed: texts.changedSeen + kept }; // found by looking: it may be of this very person
  if (frame.version == null) return { moved: "" }; // a remark, a claim: nothing of the state
  const keys = (frame.keys ?? []).join(", ");
  const [words, wordsOfKeys] = isMine ? [texts.changedYou, texts.changedKeysYou] : [texts.changed, texts.changedKeys];
  return { moved: "", changed: filled(keys ? wordsOfKeys : words, { who: frame.who.name, version: frame.version, keys }) + kept };
}

/** Whether a page that is connected again shows less than there is; at first only its numbers tell. */
export function isBehind(state: { readonly seq: number } | null, shown: number, isFirst: boolean): boolean {
  return state ? state.seq > shown : !isFirst;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly socket: string;
  readonly where: string;
  readonly editing: boolean;
  readonly keys: readonly string[];
}

/** The others, each once for what they do at one place. */
export function othersOf(people: readonly Person[], you: string): readonly Person[] {
  const others = people.filter(({ socket }) => socket !== you);
  return [...new Map(others.map((each) => [`${each.id} ${each.editing} ${each.where}`, each])).values()];
}

/** `key:NAME` and the like apart; a place without a name is the state as a whole. */
export function placeOf(where: string): { readonly kind: string; readonly name: string | null } {
  const at = where.indexOf(":");
  return at < 0 ? { kind: where, name: null } : { kind: where.slice(0, at), name: where.slice(at + 1) };
}

/** Who edits a key elsewhere, by name; `you` stands for other tabs of the person of this page. */
export function editorsOf(key: string, others: readonly Person[], person: string, you: string): readonly string[] {
  const busy = others.filter(({ editing, where }) => editing && where === `key:${key}`);
  return [...new Set(busy.map(({ id, name }) => (id === person ? you : name)))];
}

/** Who else edited a key and has not applied it, by name, apart from those who are at it now. */
export function changersOf(key: string, others: readonly Person[], person: string): readonly string[] {
  const changed = others.filter(({ id, editing, where, keys }) => id !== person && keys.includes(key) && !(editing && where === `key:${key}`));
  return [...new Set(changed.map(({ name }) => name))];
}

/** What the others edit, in words: `rosa edits priority`; a state as a whole is `whole`. */
export function editsOf(others: readonly Person[], person: string, words: { readonly you: string; readonly edits: string; readonly whole: string }): readonly string[] {
  const busy = others.filter(({ editing }) => editing);
  const said = busy.map(({ id, name, where }) => [id === person ? words.you : name, words.edits, placeOf(where).name ?? words.whole].join(" "));
  return [...new Set(said)];
}
