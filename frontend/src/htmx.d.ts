interface Window {
  readonly htmx?: {
    ajax(method: string, url: string, how: { readonly target: string | Element; readonly swap: string; readonly [name: string]: unknown }): Promise<void>;
    process(element: Element): void;
    swap(what: { readonly text: string; readonly target: Element; readonly sourceElement: Element; readonly swap: string }): Promise<void>;
  };
}
