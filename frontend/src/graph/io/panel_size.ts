// The sizes of the panel beside the canvas and of its preview: dragged, stored in the browser.

/** A measure that a person sets by dragging an edge; `share` of the room is the most. */
export interface Size {
  readonly name: string;
  readonly usual: number;
  readonly least: number;
  readonly share: number;
  readonly keys: { readonly more: string; readonly less: string };
}

export const PANEL_WIDTH: Size = { name: "ctxadmin-editor-panel", usual: 420, least: 300, share: 0.7, keys: { more: "ArrowLeft", less: "ArrowRight" } };
export const PREVIEW_HEIGHT: Size = { name: "ctxadmin-editor-preview", usual: 340, least: 140, share: 0.8, keys: { more: "ArrowUp", less: "ArrowDown" } };

const STEP = 24;
const PREVIEW_OPEN = "ctxadmin-editor-preview-open";
// Form and preview have 360 px each beside one another.
const SIDE_BY_SIDE = 720;
// Below this a preview of the usual height leaves the form less than 400 px.
const TALL_WINDOW = 1_000;

type Reading = Pick<Storage, "getItem">;
type Writing = Pick<Storage, "setItem">;

/** A size in pixels within what the room leaves. */
export function fitting({ least, share }: Size, wished: number, room: number): number {
  return Math.round(Math.max(least, Math.min(wished, room * share)));
}

/** The size after a key on the edge; null for a key that does nothing. */
export function afterKey(size: Size, key: string, now: number, room: number): number | null {
  const wished: { readonly [key: string]: number } = {
    [size.keys.more]: now + STEP,
    [size.keys.less]: now - STEP,
    Home: room,
    End: size.least,
  };
  const found = wished[key];
  return found === undefined ? null : fitting(size, found, room);
}

export function remembered({ name, least, usual }: Size, storage: Reading): number {
  const kept = Number(storage.getItem(name));
  return Number.isFinite(kept) && kept >= least ? kept : usual;
}

export function remember({ name }: Size, storage: Writing, size: number): void {
  storage.setItem(name, String(size));
}

/** Whether the details of the preview are shown: as chosen before, else in a tall window. */
export function isPreviewOpen(storage: Reading, windowHeight: number): boolean {
  const kept = storage.getItem(PREVIEW_OPEN);
  return kept === null ? windowHeight >= TALL_WINDOW : kept === "yes";
}

export function rememberPreview(storage: Writing, isOpen: boolean): void {
  storage.setItem(PREVIEW_OPEN, isOpen ? "yes" : "no");
}

/** Whether a panel has room for the preview beside the form. */
export function isSideBySide(panelWidth: number): boolean {
  return panelWidth >= SIDE_BY_SIDE;
}
