// Tells by the browser what its reader asked to hear of, as long as any page is open.

const ON = "notify"; // "on" if this browser is to tell
const TOLD = "notify-told"; // the last ids that were told, for all tabs
const AFTER = "notify-after"; // from when on to ask
const EVERY_MS = 20_000;
const MOST_TOLD = 100;
const STALE_MS = 10 * 60_000; // a browser that was closed does not tell what was missed meanwhile
const url = document.body.dataset.news;

const allow = document.getElementById("notify-allow");

function wanted() {
  try {
    return localStorage.getItem(ON) === "on" && Notification.permission === "granted";
  } catch {
    return false;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing asks again on the next page.
  }
}

function told() {
  try {
    return JSON.parse(localStorage.getItem(TOLD) ?? "[]");
  } catch {
    return [];
  }
}

function tell(piece) {
  // Words on a locked screen say only what kind of thing happened.
  const note = new Notification(piece.said, { tag: piece.id });
  note.addEventListener("click", () => {
    window.focus();
    location.assign(piece.link);
  });
}

async function look() {
  if (!wanted()) return;
  const after = localStorage.getItem(AFTER) ?? "";
  const fresh = after && Date.now() - Date.parse(after) < STALE_MS;
  try {
    const asked = fresh ? `${url}?after=${encodeURIComponent(after)}` : url;
    const answer = await fetch(asked, { headers: { Accept: "application/json" } });
    if (!answer.ok || answer.redirected) return;
    const { results, next } = await answer.json();
    const known = told();
    const news = results.filter((piece) => !known.includes(piece.id));
    keep(TOLD, JSON.stringify([...news.map((piece) => piece.id), ...known].slice(0, MOST_TOLD)));
    keep(AFTER, next);
    news.forEach(tell);
  } catch {
    // The server does not answer; the next look may be luckier.
  }
}

function show() {
  allow.setAttribute("aria-pressed", String(wanted()));
}

async function toggle() {
  const on = !wanted();
  if (on && (await Notification.requestPermission()) !== "granted") {
    const text = allow.parentElement.dataset.denied;
    document.dispatchEvent(new CustomEvent("toast", { detail: { text, tone: "warning" } }));
  }
  keep(ON, on ? "on" : "off");
  show();
  look();
}

if (url && "Notification" in window) {
  if (allow) {
    allow.parentElement.hidden = false;
    allow.addEventListener("click", toggle);
    show();
  }
  look();
  setInterval(look, EVERY_MS);
}
