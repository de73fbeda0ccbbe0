// Remembers that a key led to a page, so that who uses keys can begin to type there.

const STORE = "arrived-by-key";
const LOADS_MS = 30_000;

export function leaveByKey(path: string): void {
  try {
    sessionStorage.setItem(STORE, JSON.stringify({ path, at: Date.now() }));
  } catch {
    // A browser that keeps nothing begins at the top of the page.
  }
}

/** Whether a key led to this page; true once. */
export function hasArrivedByKey(): boolean {
  try {
    const { path, at } = JSON.parse(sessionStorage.getItem(STORE) ?? "{}") as { path?: string; at?: number };
    sessionStorage.removeItem(STORE);
    return path === location.pathname && Date.now() - (at ?? 0) < LOADS_MS;
  } catch {
    return false;
  }
}
