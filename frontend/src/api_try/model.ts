// The call of the REST contract that a form describes, and what is shown of its answer.

const SHOWN_HEADERS = ["content-type", "etag", "location", "retry-after", "allow", "x-request-id"];

/** A field of the form; `place` is path, query, header or token. */
interface Given {
  readonly place: string;
  readonly name: string;
  readonly value: string;
}

interface Body {
  readonly media: string;
  readonly text: string;
}

interface Call {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly credentials: "same-origin" | "omit";
}

/** With a token the call is the engine's and not that of who is signed in. */
export function callOf(path: string, given: readonly Given[], csrf: string, body: Body | null): Call {
  const headers: Record<string, string> = { Accept: "*/*" };
  const query = new URLSearchParams();
  let to = path;
  let credentials: Call["credentials"] = "same-origin";
  for (const { place, name, value } of given) {
    if (place === "path") to = to.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (value === "") continue;
    else if (place === "query") query.set(name, value);
    else if (place === "header") headers[name] = value;
    else if (place === "token") {
      headers.Authorization = `Bearer ${value}`;
      credentials = "omit";
    }
  }
  if (csrf && credentials !== "omit") headers["X-CSRFToken"] = csrf;
  if (body) headers["Content-Type"] = body.media;
  const search = query.toString();
  return { url: search ? `${to}?${search}` : to, headers, credentials };
}

export function shownHeaders(header: (name: string) => string | null): string {
  return SHOWN_HEADERS.flatMap((name) => (header(name) === null ? [] : [`${name}: ${header(name)}`])).join("\n");
}

/** JSON with indents, unless it has numbers that JavaScript would round. */
export function readable(text: string, contentType: string): string {
  if (!contentType.includes("json") || text === "" || /\d{16}/.test(text)) return text;
  return JSON.stringify(JSON.parse(text), null, 2);
}
