// How wide the panel beside the canvas is: chosen by dragging its edge, remembered in the browser.

export const USUAL_WIDTH = 420;
export const LEAST_WIDTH = 300;
const SHARE = 0.7; // of the editor, so that the canvas stays
const STEP = 24;
const NAME = "ctxadmin-editor-panel";

/** A width in pixels within what the editor leaves. */
export function fitting(width: number, room: number): number {
  return Math.round(Math.max(LEAST_WIDTH, Math.min(width, room * SHARE)));
}

/** The width after a key on the edge; null for a key that does nothing. */
export function afterKey(key: string, width: number, room: number): number | null {
  const wished: { readonly [key: string]: number } = {
    ArrowLeft: width + STEP,
    ArrowRight: width - STEP,
    Home: room,
    End: LEAST_WIDTH,
  };
  const found = wished[key];
  return found === undefined ? null : fitting(found, room);
}

export function remembered(storage: Pick<Storage, "getItem">): number {
  const kept = Number(storage.getItem(NAME));
  return Number.isFinite(kept) && kept >= LEAST_WIDTH ? kept : USUAL_WIDTH;
}

export function remember(storage: Pick<Storage, "setItem">, width: number): void {
  storage.setItem(NAME, String(width));
}
