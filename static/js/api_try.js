// Calls an operation of the REST contract with what its form says, and shows the answer.

const SHOWN_HEADERS = ["content-type", "etag", "location", "retry-after", "allow", "x-request-id"];

for (const form of document.querySelectorAll("form.api-try")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void call(form);
  });
}

async function call(form) {
  const answer = form.querySelector(".api-answer");
  const failure = form.querySelector(".api-failure");
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  failure.hidden = true;
  const started = performance.now();
  try {
    const response = await fetch(...requestOf(form));
    const text = await response.text();
    form.querySelector(".api-status").textContent = `${response.status} ${response.statusText}`;
    form.querySelector(".api-time").textContent = `${Math.round(performance.now() - started)} ms`;
    form.querySelector(".api-headers").textContent = headersOf(response);
    form.querySelector(".api-result").textContent = readable(text, response);
    answer.hidden = false;
  } catch {
    answer.hidden = true;
    failure.hidden = false;
  } finally {
    button.disabled = false;
  }
}

/** The url and the options of the call that the form describes. */
function requestOf(form) {
  const headers = new Headers({ Accept: "*/*" });
  const query = new URLSearchParams();
  let path = form.dataset.path;
  let credentials = "same-origin";
  for (const input of form.querySelectorAll("input[data-place]")) {
    const { place } = input.dataset;
    if (place === "path") {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.value === "") {
      continue;
    } else if (place === "query") {
      query.set(input.name, input.value);
    } else if (place === "header") {
      headers.set(input.name, input.value);
    } else if (place === "token") {
      headers.set("Authorization", `Bearer ${input.value}`);
      credentials = "omit";
    }
  }
  const csrf = document.querySelector("meta[name=csrf-token]");
  if (csrf && credentials !== "omit") {
    headers.set("X-CSRFToken", csrf.content);
  }
  const body = form.querySelector("textarea");
  if (body) {
    headers.set("Content-Type", body.dataset.media);
  }
  const search = query.size > 0 ? `?${query}` : "";
  const method = form.dataset.method;
  return [path + search, { method, headers, credentials, body: body ? body.value : undefined }];
}

function headersOf(response) {
  return SHOWN_HEADERS.filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`)
    .join("\n");
}

/** JSON with indents, unless it has numbers that JavaScript would round. */
function readable(text, response) {
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  if (!isJson || text === "" || /\d{16}/.test(text)) {
    return text;
  }
  return JSON.stringify(JSON.parse(text), null, 2);
}
