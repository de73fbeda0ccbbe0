// The sizes of the panel beside the canvas and of its preview: dragged, stored in the browser.

/** A measure that a person sets by dragging an edge; `share` of the room is the most, and it leaves so many pixels of it. */
export interface Size {
  readonly name: string;
  /** In pixels, of a room. */
  readonly usual: (room: number) => number;
  readonly least: number;
  readonly share: number;
  readonly leaves: number;
  readonly keys: { readonly more: string; readonly less: string };
}

// Beside the types of nodes there is room for two cards.
const CANVAS = 460;
export const PANEL_WIDTH: Size = { name: "ctxadmin-editor-panel", usual: () => 420, least: 300, share: 0.7, leaves: CANVAS, keys: { more: "ArrowLeft", less: "ArrowRight" } };
export const PREVIEW_HEIGHT: Size = { name: "ctxadmin-editor-preview", usual: (room) => Math.max(Math.round(room / 3), 200), least: 140, share: 0.8, leaves: 0, keys: { more: "ArrowUp", less: "ArrowDown" } };

const STEP = 24;
const PREVIEW_OPEN = "ctxadmin-editor-preview-open";
// Form and preview have 360 px each beside one another.
const SIDE_BY_SIDE = 720;
// In a smaller window the form has less than half of its panel beside an open preview.
const ROOMY_WINDOW = { width: 760, height: 640 };

type Reading = Pick<Storage, "getItem">;
type Writing = Pick<Storage, "setItem">;

/** A size in pixels within what the room leaves. */
export function fitting({ least, share, leaves }: Size, wished: number, room: number): number {
  return Math.round(Math.max(least, Math.min(wished, room * share, room - leaves)));
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

/** The size that a person chose; null for none. */
export function remembered({ name, least }: Size, storage: Reading): number | null {
  const kept = Number(storage.getItem(name));
  return Number.isFinite(kept) && kept >= least ? kept : null;
}

export function remember({ name }: Size, storage: Writing, size: number): void {
  storage.setItem(name, String(size));
}

/** Whether the details of the preview are shown: as chosen before, else wherever the form has room beside them. */
export function isPreviewOpen(storage: Reading, { width, height }: { readonly width: number; readonly height: number }): boolean {
  const kept = storage.getItem(PREVIEW_OPEN);
  return kept === null ? width >= ROOMY_WINDOW.width && height >= ROOMY_WINDOW.height : kept === "yes";
}

export function rememberPreview(storage: Writing, isOpen: boolean): void {
  storage.setItem(PREVIEW_OPEN, isOpen ? "yes" : "no");
}

/** Whether a panel has room for the preview beside the form. */
export function isSideBySide(panelWidth: number): boolean {
  return panelWidth >= SIDE_BY_SIDE;
}
