// After a form was sent by keys, the next page begins where it was sent: at the same control, else
// at what the page reports. Without it everyone who uses keys begins at the top of every page. What a form
// with `data-reports` did is brought into sight for everyone: its page opens scrolled as it was.

import { controlFor, readPlace } from "./model";

const STORE = "focus-return";
const CONTROLS = "button[type=submit], input:not([type=hidden]), select, textarea";
const FIELD = "textarea[data-goes-on]";
let byKeys = false;

document.addEventListener("keydown", () => (byKeys = true), { capture: true });
document.addEventListener("pointerdown", () => (byKeys = false), { capture: true });

function actionOf(form: HTMLFormElement): string {
  return new URL(form.getAttribute("action") || location.href, location.href).pathname;
}

function formsTo(action: string): HTMLFormElement[] {
  return [...document.forms].filter((form) => actionOf(form) === action && form.closest("main"));
}

function note(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const active = document.activeElement;
  const control = (form.contains(active) ? active : submitter) as Partial<HTMLInputElement> | null;
  const action = actionOf(form);
  const number = Math.max(formsTo(action).indexOf(form), 0);
  const { name = "", value = "" } = control ?? {};
  const peers = controlsOf(form).filter((each) => each.name === name).length;
  const reports = form.dataset.reports !== undefined;
  const place = { path: location.pathname, action, number, name, value, peers, byKeys, reports, at: Date.now() };
  sessionStorage.setItem(STORE, JSON.stringify(place));
}

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (!byKeys && form.dataset.reports === undefined) return;
  if (event.defaultPrevented && form.method === "get") return; // such as Find: a script shows the result in this page
  try {
    note(form, event.submitter);
  } catch {
    // A browser that keeps nothing begins at the top of the page.
  }
});

function controlsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>(CONTROLS)].filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility());
}

/** What the page says, else where it says that one goes on. */
function reportOf(): HTMLElement | null {
  return document.querySelector<HTMLElement>("#messages > .note") ?? document.querySelector<HTMLElement>("[data-goes-on]");
}

function focusReport(): void {
  const report = reportOf();
  if (!report) return;
  if (report.tabIndex < 0) report.tabIndex = -1; // what is no control has the focus only with the attribute
  report.focus({ preventScroll: report.matches(FIELD) });
}

/** Where one goes on by writing, the first letter is to be none of the keys of the page, however one came there. */
function beginInField(): void {
  if (document.activeElement === document.body && reportOf()?.matches(FIELD)) focusReport();
}

/** A browser scrolls to the former place once more after the page has loaded, unless it is told not to. */
function showReport(isFocused: boolean): void {
  history.scrollRestoration = "manual";
  addEventListener("pagehide", () => (history.scrollRestoration = "auto"), { once: true });
  if (isFocused) focusReport();
  reportOf()?.scrollIntoView({ block: "center" });
}

function comeBack(): void {
  let place = null;
  try {
    place = readPlace(sessionStorage.getItem(STORE), Date.now());
    sessionStorage.removeItem(STORE);
  } catch {
    return;
  }
  if (!place || document.activeElement !== document.body) return;
  byKeys = place.byKeys;
  if (place.reports && place.path === location.pathname) {
    showReport(byKeys);
    return;
  }
  if (!byKeys) return;
  const forms = place.path === location.pathname ? formsTo(place.action) : [];
  const form = forms[Math.min(place.number, forms.length - 1)];
  const controls = form ? controlsOf(form) : [];
  const control = controls[controlFor(place, controls)];
  // An address that names a place leads there, but to the control in it.
  if (location.hash && !(control && document.getElementById(location.hash.slice(1))?.contains(control))) return;
  if (control) control.focus();
  else focusReport();
}

addEventListener("load", () => {
  comeBack();
  beginInField();
});
