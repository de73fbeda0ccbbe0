// Shows on the queue of reviews that more are waiting; notify does so by the browser.

import { Reviews } from "./model";

const EVERY_MS = 20_000;
const notice = document.getElementById("reviews-new");
const reviews = new Reviews();

async function look(url: string): Promise<void> {
  // A page that is live shows new ones itself.
  if (document.getElementById("live-link")?.dataset.live === "open") return;
  try {
    const answer = await fetch(url, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) return;
    const { newest } = (await answer.json()) as { readonly newest?: { readonly since: string } | null };
    if (reviews.hear(newest?.since ?? "") && notice) notice.hidden = false;
  } catch {
    // The server does not answer; the next look may be luckier.
  }
}

const url = notice?.dataset.url;
if (url) {
  void look(url);
  setInterval(() => void look(url), EVERY_MS);
}
