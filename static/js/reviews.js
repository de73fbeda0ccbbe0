// The queue of reviews tells on the page when more waits; by the browser notify.js does.

const EVERY_MS = 20_000;
const news = document.getElementById("reviews-new");
let seen = null; // what began to wait last when this page was loaded

async function look() {
  try {
    const answer = await fetch(news.dataset.url, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) return;
    const { newest } = await answer.json();
    const at = newest?.since ?? "";
    if (seen !== null && at > seen) news.hidden = false;
    seen = seen !== null && seen > at ? seen : at;
  } catch {
    // The server does not answer; the next look may be luckier.
  }
}

look();
setInterval(look, EVERY_MS);
