interface Window {
  readonly htmx?: {
    ajax(method: string, url: string, how: { readonly target: string; readonly swap: string }): void;
    process(element: Element): void;
    swap(what: { readonly text: string; readonly target: Element; readonly sourceElement: Element; readonly swap: string }): Promise<void>;
  };
}
