// Calls an operation of the REST contract with the values of its form, and shows the answer.

import { callOf, readable, shownHeaders } from "./model";

for (const form of document.querySelectorAll<HTMLFormElement>("form.api-try")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void call(form);
  });
}

function part<T extends HTMLElement = HTMLElement>(form: HTMLFormElement, selector: string): T {
  return form.querySelector(selector) as T;
}

async function call(form: HTMLFormElement): Promise<void> {
  const [answer, failure] = [part(form, ".api-answer"), part(form, ".api-failure")];
  const button = part<HTMLButtonElement>(form, "button[type=submit]");
  button.disabled = true;
  failure.hidden = true;
  const started = performance.now();
  try {
    const response = await send(form);
    const text = await response.text();
    part(form, ".api-status").textContent = `${response.status} ${response.statusText}`;
    part(form, ".api-time").textContent = `${Math.round(performance.now() - started)} ms`;
    part(form, ".api-headers").textContent = shownHeaders((name) => response.headers.get(name));
    part(form, ".api-result").textContent = readable(text, response.headers.get("content-type") ?? "");
    answer.hidden = false;
  } catch {
    answer.hidden = true;
    failure.hidden = false;
  } finally {
    button.disabled = false;
  }
}

function send(form: HTMLFormElement): Promise<Response> {
  const inputs = [...form.querySelectorAll<HTMLInputElement>("input[data-place]")];
  const given = inputs.map(({ dataset, name, value }) => ({ place: dataset.place ?? "", name, value }));
  const csrf = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content ?? "";
  const area = form.querySelector("textarea");
  const body = area && { media: area.dataset.media ?? "", text: area.value };
  const { url, headers, credentials } = callOf(form.dataset.path ?? "", given, csrf, body);
  return fetch(url, { method: form.dataset.method, headers, credentials, body: body?.text });
}
