/** Tell the page how much of its top the row of tools covers once it is stuck: of two lines on a narrow page one goes. */
export function measure(tools: HTMLElement): void {
  const height = tools.offsetHeight + Number.parseFloat(getComputedStyle(tools).top);
  document.documentElement.style.setProperty("--reading-height", `${Math.ceil(height)}px`);
}
