interface Window {
  readonly htmx?: { process(element: Element): void };
}
