// The sliders of budgets: they move the numbers beside them, and follow what is typed there.

import { placeOf, read, STEPS, tokensAt, withMost, withTarget, type Budget } from "./model";

const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined);

function connect(line: HTMLElement): void {
  const most = line.querySelector<HTMLInputElement>("[name=max_tokens]");
  const target = line.querySelector<HTMLInputElement>("[name=target_tokens]");
  const sliders = line.querySelectorAll<HTMLInputElement>("input[type=range]");
  const [upper, lower] = sliders;
  if (!most || !target || !upper || !lower) return;

  const typed = (): Budget => ({ most: read(most.value), target: read(target.value) });
  const follow = (): void => {
    for (const [slider, field] of [[upper, most], [lower, target]] as const) {
      const tokens = read(field.value);
      if (tokens !== null) slider.value = String(placeOf(tokens));
      slider.setAttribute("aria-valuetext", numbers.format(tokens ?? tokensAt(Number(slider.value))));
    }
  };
  const put = (budget: Budget): void => {
    most.value = budget.most === null ? "" : String(budget.most);
    target.value = budget.target === null ? "" : String(budget.target);
    for (const field of [most, target]) field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  upper.addEventListener("input", () => put(withMost(typed(), tokensAt(Number(upper.value)))));
  lower.addEventListener("input", () => put(withTarget(typed(), tokensAt(Number(lower.value)))));
  for (const field of [most, target]) field.addEventListener("input", follow);
  for (const slider of sliders) {
    slider.max = String(STEPS);
    slider.hidden = false;
  }
  follow();
}

for (const line of document.querySelectorAll<HTMLElement>("[data-budget]")) connect(line);
