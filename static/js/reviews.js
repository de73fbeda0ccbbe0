// The queue of reviews tells when more waits: on the page, and by the browser if the reader wants it.

const STORE = "notify-reviews";
const EVERY_MS = 20_000;
const button = document.getElementById("notify");
const news = document.getElementById("reviews-new");
let seen = null; // what began to wait last when this page was loaded

function wanted() {
  try {
    return localStorage.getItem(STORE) === "on" && Notification.permission === "granted";
  } catch {
    return false;
  }
}

function show() {
  button.hidden = !("Notification" in window);
  button.setAttribute("aria-pressed", String(wanted()));
}

function tell(newest) {
  news.hidden = false;
  if (!wanted()) return;
  // The title of a conversation may be private: the words on a locked screen say only that it waits.
  const note = new Notification(button.dataset.said, { tag: "reviews" });
  note.addEventListener("click", () => {
    window.focus();
    location.assign(`${button.dataset.page}${encodeURIComponent(newest.conversation)}/`);
  });
}

async function look() {
  try {
    const answer = await fetch(button.dataset.url, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) return;
    const { newest } = await answer.json();
    const at = newest?.since ?? "";
    if (seen !== null && at > seen) tell(newest);
    seen = seen !== null && seen > at ? seen : at;
  } catch {
    // The server does not answer; the next look may be luckier.
  }
}

button.addEventListener("click", async () => {
  const on = !wanted();
  if (on && (await Notification.requestPermission()) !== "granted") {
    document.dispatchEvent(
      new CustomEvent("toast", { detail: { text: button.dataset.denied, tone: "warning" } }),
    );
  }
  try {
    localStorage.setItem(STORE, on ? "on" : "off");
  } catch {
    // A browser that keeps nothing asks again on the next page.
  }
  show();
});

show();
look();
setInterval(look, EVERY_MS);
