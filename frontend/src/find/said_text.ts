// What a part of a page says, as one text: words that stand in several elements are found, too.

const WITHIN_A_LINE = "a, b, code, del, em, i, s, strong";
const APART = "\0"; // between two texts that do not follow each other

interface Piece {
  readonly node: Text;
  readonly start: number;
}

export class SaidText {
  readonly text: string;
  readonly #pieces: readonly Piece[];

  /** `isContent` leaves out words of the page itself. */
  constructor(root: Element, isContent: (around: Element) => boolean = () => true) {
    const pieces: Piece[] = [];
    let [text, last]: [string, Element | null] = ["", null];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node instanceof Element && node.localName === "br") text += "\n";
      if (!(node instanceof Text) || !node.parentElement) continue;
      if (!isContent(node.parentElement)) {
        text += APART;
        continue;
      }
      const block = blockOf(node.parentElement);
      if (block !== last) text += "\n";
      last = block;
      pieces.push({ node, start: text.length });
      text += node.data;
    }
    this.text = text;
    this.#pieces = pieces;
  }

  /** A stretch of the text, where it is in the page. */
  rangeOf(start: number, end: number): StaticRange {
    const [first, last] = [this.#pieceAt(start), this.#pieceAt(end - 1)];
    return new StaticRange({
      startContainer: first.node,
      startOffset: start - first.start,
      endContainer: last.node,
      endOffset: end - last.start,
    });
  }

  /** The piece that has a place: the last one that does not begin behind it. */
  #pieceAt(place: number): Piece {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pieces[middle] as Piece).start <= place) low = middle;
      else high = middle - 1;
    }
    return this.#pieces[low] as Piece;
  }
}

/** Words of one element are one text, whatever is emphasized in them. */
function blockOf(element: Element): Element {
  let around = element;
  while (around.matches(WITHIN_A_LINE) && around.parentElement) around = around.parentElement;
  return around;
}
