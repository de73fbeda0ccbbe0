// Says times in the reader's zone and language. The server writes UTC; without this it stays.
// How long ago it was is counted by the server's clock: that of a reader may be off by days.

const language = document.documentElement.lang || undefined;
const WEEK_S = 7 * 24 * 3600;
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

const SKEWED_MS = 60_000; // less is the time that a page takes to come
const SKEW = "clock-skew";

/** How far the reader's clock is behind that of the server; a page of the history says an old time. */
function skewOf() {
  const [visit] = performance.getEntriesByType("navigation");
  try {
    if (visit?.type === "back_forward") return Number(sessionStorage.getItem(SKEW));
    const given = Number(document.documentElement.dataset.now) * 1000;
    const skew = given ? given - Date.now() : 0;
    const known = Math.abs(skew) < SKEWED_MS ? 0 : skew;
    sessionStorage.setItem(SKEW, String(known));
    return known;
  } catch {
    return 0; // a browser that keeps nothing
  }
}

const skew = skewOf();
const now = () => Date.now() + skew;

const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const short = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const full = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });

function ago(moment) {
  const seconds = (moment - now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(0, "second");
}

function say(element) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const style = element.dataset.time;
  const recent = Math.abs(moment - now()) < WEEK_S * 1000;
  element.title = full.format(moment);
  element.textContent =
    style === "relative" || (style === "auto" && recent) ? ago(moment) : short.format(moment);
}

function sayAll(root) {
  for (const element of root.querySelectorAll("time[data-time]")) say(element);
}

sayAll(document);
document.addEventListener("htmx:after:process", (event) => sayAll(event.target));
setInterval(() => document.hidden || sayAll(document), 30_000);
