// Shows times in the reader's zone and language. The server writes UTC, which stays without this
// script. Relative times use the server's clock, because a reader's may be off by days.

import { ago, type Countdown, countdown, isRelative, skewOf } from "./model";

const language = document.documentElement.lang || undefined;
const SKEW = "clock-skew";
const AGAIN_MS = 30_000;
const SECOND_MS = 1000;

/** A page of the history says an old time: it is asked what was known then. */
function knownSkew(): number {
  const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  try {
    if (visit?.type === "back_forward") return Number(sessionStorage.getItem(SKEW));
    const skew = skewOf(Number(document.documentElement.dataset.now) * 1000, Date.now());
    sessionStorage.setItem(SKEW, String(skew));
    return skew;
  } catch {
    return 0; // a browser that keeps nothing
  }
}

const skew = knownSkew();
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const short = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const full = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });

function say(element: HTMLTimeElement): void {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const seconds = (moment.getTime() - Date.now() - skew) / 1000;
  const { value, unit } = ago(seconds);
  element.title = full.format(moment);
  if (element.dataset.time === "clock") {
    element.textContent = clock.format(moment);
    return;
  }
  const counted = element.dataset.time === "countdown" ? countdown(seconds) : null;
  element.toggleAttribute("data-soon", counted?.isSoon ?? false);
  if (counted !== null) {
    element.textContent = counted.whole ? countedDown(counted) : relative.format(Number(counted.rest), "second");
    return;
  }
  element.textContent = isRelative(element.dataset.time, seconds) ? relative.format(value, unit) : short.format(moment);
}

/** `in 4:09 min.`: as a time is said, with seconds in the place of whole minutes. */
function countedDown({ whole, rest, unit }: Countdown): string {
  const parts = relative.formatToParts(Math.max(whole, 2), unit); // plural, as 1:09 is more than one
  return parts.map(({ type, value }) => (type === "integer" ? `${whole}:${rest}` : value)).join("");
}

function sayCountdowns(): void {
  for (const element of document.querySelectorAll<HTMLTimeElement>("time[data-time=countdown]")) say(element);
}

function sayAll(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>("time[data-time]")) say(element);
}

sayAll(document);
document.addEventListener("htmx:after:process", (event) => sayAll(event.target as Element));
setInterval(() => document.hidden || sayAll(document), AGAIN_MS);
setInterval(() => document.hidden || sayCountdowns(), SECOND_MS);
document.addEventListener("visibilitychange", () => document.hidden || sayAll(document));
