// Says times in the reader's zone and language. The server writes UTC; without this it stays.

const language = document.documentElement.lang || undefined;
const WEEK_S = 7 * 24 * 3600;
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const short = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const full = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });

function ago(moment) {
  const seconds = (moment - Date.now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(0, "second");
}

function say(element) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const style = element.dataset.time;
  const recent = Math.abs(moment - Date.now()) < WEEK_S * 1000;
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
