// The graph as a picture: an SVG of shapes and texts alone, and a PNG of it.

import type { Setup } from "../io/setup";
import { noteOf } from "../model/canvas_data";
import type { Key, Position } from "../model/document";
import { indexOf } from "../model/document";
import { CHIP_HEIGHT, widthOf } from "../model/chips";
import { anchorOf, chipSpot, type Way, wayOf } from "../model/lines";
import { around, CARD, frames } from "../model/places";
import { edgeWords, type Marked, markOf, nodeWords, type State } from "../store";
import { drawnPlaces } from "./flow";
import { titleOf } from "../model/element_names";
import { conditionOf, inLine, inLines } from "./accessible_names";

const TONES: { readonly [tone: string]: string } = {
  blue: "#066fd1",
  green: "#2fb344",
  red: "#d63939",
  orange: "#f76707",
  purple: "#ae3ec9",
  teal: "#0ca678",
  secondary: "#6b7280",
};
const MARKS: { readonly [sign: string]: string } = { done: "#15803d", added: "#15803d", ready: "#1d4ed8", paused: "#b45309", changed: "#b45309", failed: "#b91c1c", removed: "#b91c1c" };
const markTone = ({ sign }: Marked): string => MARKS[sign] ?? "#475569";
/** The rows of a name, and how far below the top of its card they and the two below them are. */
const TITLE: { readonly [name in "one" | "two"]: readonly [number[], [number, number]] } & { readonly letters: number; readonly rows: number } = { letters: 23, rows: 2, one: [[27], [48, 69]], two: [[20, 37], [55, 73]] };
const NOTE = { width: 200, letters: 29, row: 18, rows: 4 };
const MOST_PIXELS = 12_000;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
function short(text: string, most: number): string {
  const line = inLine(text);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
const line = (x: number, y: number, text: string, more = ""): string => `<text x="${x}" y="${y}" ${more}>${escaped(text)}</text>`;

export function pictureOf(state: State, setup: Pick<Setup, "kinds">): string {
  const { document } = state;
  const { places, flow, lanes, endOf } = drawnPlaces(state);
  const box = places.size ? around([...places.values()], 80) : { x: 0, y: 0, width: 320, height: 200 };
  const { keys } = indexOf(document.nodes);
  const kinds = new Map(setup.kinds.map((kind) => [kind.type, kind]));
  const parts = [...frames(document, places)].map(
    ([name, { x, y, width, height }]) =>
      `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="#f1f5f9" stroke="#94a3b8" stroke-dasharray="5 4"/>` + line(x + 12, y + 18, short(name, 80), 'font-size="12" fill="#475569"'),
  );
  const chips: string[] = [];
  const notes: string[] = [];
  document.edges.forEach((edge, place) => {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (!from || !to) return;
    const key = indexOf(document.edges).keys[place] as Key;
    const way = wayOf(from, to, flow, lanes.get(key), endOf(edge));
    parts.push(lineOf(way, edge.type));
    const mark = markOf(state.marks, "edges", edge.id);
    const words = mark ? [mark.text] : [conditionOf(edge), ...(edgeWords(state, key)?.chips ?? [])];
    const text = short(words.filter(Boolean).join(" · "), 64);
    if (text) chips.push(chipOf(way, text, from, to));
  });
  document.nodes.forEach((node, place) => {
    const key = keys[place] as Key;
    const { x, y } = places.get(key) as Position;
    const words = nodeWords(state, key);
    const mark = markOf(state.marks, "nodes", node.id);
    const kind = kinds.get(node.type);
    const sees = words?.filter.join(" · ");
    const title = folded(titleOf(node), TITLE.letters, TITLE.rows);
    const [tops, [seesTop, underTop]] = title.length > 1 ? TITLE.two : TITLE.one;
    const under = mark?.text ?? kind?.label ?? words?.type_label ?? node.type;
    parts.push(
      `<rect x="${x}" y="${y}" width="${CARD.width}" height="${CARD.height}" rx="8" fill="#ffffff" stroke="${mark ? markTone(mark) : "#cbd5e1"}"/>`,
      `<rect x="${x}" y="${y + 8}" width="4" height="${CARD.height - 16}" rx="2" fill="${TONES[kind?.tone ?? ""] ?? "#6b7280"}"/>`,
      ...title.map((row, at) => line(x + 16, y + (tops[at] as number), row, 'font-size="15" font-weight="600" fill="#0f172a"')),
      line(x + 16, y + seesTop, short(sees || (words?.context_label ?? node.context_type ?? ""), 30), `font-size="12.5" fill="${sees ? "#1d4ed8" : "#475569"}"`),
      line(x + 16, y + underTop, short(under, 30), `font-size="12.5"${mark ? ' font-weight="600"' : ""} fill="${mark ? markTone(mark) : "#475569"}"`),
    );
    const note = noteOf(node);
    if (note) notes.push(noteBox(x + note.x, y + note.y, note.text));
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.x} ${box.y} ${box.width} ${box.height}" width="${box.width}" height="${box.height}" font-family="sans-serif">` +
    `<title>${escaped(document.name)}</title>` +
    '<defs><marker id="end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 1 9 5 0 9z" fill="#64748b"/></marker></defs>' +
    `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" fill="#ffffff"/>${parts.join("")}${chips.join("")}${notes.join("")}</svg>\n`
  );
}

function lineOf({ path }: Way, type: string): string {
  const stroke = type === "error" ? '#dc2626" stroke-dasharray="6 4' : "#64748b";
  return `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="1.5" marker-end="url(#end)"/>`;
}

/** What does not fit between two cards stands below or above both: nobody can point at a picture to read the rest. */
function chipOf(way: Way, text: string, from: Position, to: Position): string {
  const width = widthOf([text]);
  const [spot, anchor] = [chipSpot(way, from, to, width), anchorOf(way)];
  const [x, y] = [spot.x + (0.5 - anchor.across) * width, spot.y + (0.5 - anchor.down) * CHIP_HEIGHT];
  return `<rect x="${x - width / 2}" y="${y - CHIP_HEIGHT / 2}" width="${width}" height="${CHIP_HEIGHT}" rx="12" fill="#ffffff" stroke="#94a3b8"/>` + line(x, y + 4, text, 'font-size="12" fill="#0f172a" text-anchor="middle"');
}

/** A note as the canvas shows it before one scrolls. */
function noteBox(x: number, y: number, text: string): string {
  const rows = folded(inLines(text), NOTE.letters, NOTE.rows);
  const box = `<rect x="${x}" y="${y}" width="${NOTE.width}" height="${rows.length * NOTE.row + 12}" rx="3" fill="#fdf6d8" stroke="#e3d08c"/>`;
  return box + rows.map((row, place) => line(x + 10, y + 19 + place * NOTE.row, row, 'font-size="12" fill="#713f12"')).join("");
}

/** A text in at most so many rows of so many letters, broken between words where that goes. */
export function folded(text: string, letters: number, most: number): string[] {
  const rows = text.split("\n").flatMap((given) => given.match(new RegExp(`\\S.{0,${letters - 1}}(?=\\s|$)|\\S{1,${letters}}`, "gu")) ?? [""]);
  if (rows.length <= most) return rows;
  const last = rows[most - 1] as string;
  return [...rows.slice(0, most - 1), `${last.slice(0, letters - 1).trimEnd()}…`];
}

export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  // The policy allows pictures of data addresses and not of blobs.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(2, MOST_PIXELS / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

export function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
