// Keys: an element with data-key ("/" or "g w") is focused or clicked when its keys are pressed.
// "?" lists the keys of the page. Keys without Ctrl can be switched off (WCAG 2.1.4).

const STORE = "keys";
const PAUSE_MS = 1200;
const help = document.getElementById("keys");
const box = document.getElementById("keys-enabled");
let pressed = "";
let last = 0;

function enabled() {
  try {
    return localStorage.getItem(STORE) !== "off";
  } catch {
    return true;
  }
}

function isTyping(target) {
  return (
    target.isContentEditable ||
    target.matches?.("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")
  );
}

function listKeys() {
  const list = document.getElementById("keys-list");
  for (const old of list.querySelectorAll("[data-of-page]")) old.remove();
  for (const element of document.querySelectorAll("[data-key][data-key-label]")) {
    const line = document.createElement("div");
    line.dataset.ofPage = "";
    const name = document.createElement("dt");
    name.textContent = element.dataset.keyLabel;
    const keys = document.createElement("dd");
    element.dataset.key.split(" ").forEach((key, index) => {
      if (index) keys.append(` ${list.dataset.then} `);
      const cap = document.createElement("kbd");
      cap.textContent = key;
      keys.append(cap);
    });
    line.append(name, keys);
    list.append(line);
  }
}

function openHelp() {
  if (!help || help.open) return;
  listKeys();
  box.checked = enabled();
  help.showModal();
}

function use(element) {
  if (element.matches("input, textarea, select")) {
    element.focus();
    element.select?.();
  } else {
    element.click();
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.key.length !== 1 || isTyping(event.target) || !enabled()) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    event.preventDefault();
    openHelp();
    return;
  }
  pressed = event.timeStamp - last < PAUSE_MS && pressed ? `${pressed} ${event.key}` : event.key;
  last = event.timeStamp;
  const elements = [...document.querySelectorAll("[data-key]")];
  const found = elements.find((element) => element.dataset.key === pressed);
  if (found) {
    event.preventDefault();
    pressed = "";
    use(found);
  } else if (!elements.some((element) => element.dataset.key.startsWith(`${pressed} `))) {
    pressed = "";
  }
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-open-keys]")) openHelp();
});

box?.addEventListener("change", () => {
  try {
    localStorage.setItem(STORE, box.checked ? "on" : "off");
  } catch {
    // A browser that keeps nothing forgets the choice; the keys go on working.
  }
});
