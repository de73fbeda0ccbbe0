// Server-sent events, line by line: a pure parser.

/** One event of a stream: its name, its data, and the id to go on behind. */
export interface Sent<T> {
  readonly event: string;
  readonly data: T;
  readonly id: string;
}

/** Takes the text of a stream piece by piece; `lastId` is where to go on after a break. */
export class Reader<T> {
  private rest = "";
  private id: string | undefined;
  private event = "";
  private data: string[] = [];

  constructor(public lastId = "") {}

  /** The events that end in this piece. */
  feed(piece: string): Sent<T>[] {
    const text = this.rest + piece;
    // A CR at the end may be the first half of a CRLF: it waits for the next piece.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.line(line) ?? []);
  }

  /** Forget a half event: the connection ended within it. */
  broken(): void {
    this.rest = "";
    this.forget();
  }

  private line(line: string): Sent<T> | undefined {
    if (line !== "") {
      this.take(line);
      return undefined;
    }
    if (this.id !== undefined) this.lastId = this.id;
    const { event, data } = this;
    this.forget();
    if (data.length === 0) return undefined;
    return { event: event || "message", data: JSON.parse(data.join("\n")) as T, id: this.lastId };
  }

  private take(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.data.push(value);
    else if (name === "event") this.event = value;
    else if (name === "id" && !value.includes("\0")) this.id = value;
  }

  private forget(): void {
    this.id = undefined;
    this.event = "";
    this.data = [];
  }
}
