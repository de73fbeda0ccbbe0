interface Window {
  readonly htmx?: {
    process(element: Element): void;
    swap(what: { readonly text: string; readonly target: Element; readonly sourceElement: Element; readonly swap: string }): Promise<void>;
  };
}
