// The state as one JSON text: CodeMirror in a shadow root, where its styles are adopted sheets and
// so allowed by the content security policy.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Transaction, type ChangeSpec } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { changedLines } from "../model/changed_lines";
import { HIDDEN } from "../model/hidden";
import { NotJson, scan } from "../model/scan";
import { problemOf, type Words } from "../texts";

const LINT_MS = 400;
/** Ctrl+Enter is a key of the page. */
const KEYS = defaultKeymap.filter(({ key }) => key !== "Mod-Enter");

/** Colours that keep 4.5:1 on the page's own backgrounds, in the theme of the moment. */
const COLOURS = {
  key: "light-dark(#4a2a73, #c9b3ee)",
  text: "light-dark(#0b5121, #8fdca5)",
  number: "light-dark(#0b4f9e, #8cc0ff)",
  word: "light-dark(#8a3b00, #f0b37e)",
};

export interface TextEditor {
  readonly host: HTMLElement;
  text(): string;
  /** Replace what stands from `from` to `to`; undo takes it back. */
  replace(from: number, to: number, insert: string): void;
  /** Put another text in its place, of which undo knows nothing: it is what others wrote. */
  take(text: string): void;
  show(from: number): void;
}

interface Wanted {
  readonly text: string;
  readonly label: string;
  readonly words: Words;
  readonly dark: boolean;
  readonly changed: () => void;
}

export function textEditor({ text, label, words, dark, changed }: Wanted): TextEditor {
  const host = document.createElement("div");
  host.className = "json-text";
  const root = host.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        codeFolding(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSpecialChars({ specialChars: HIDDEN, render: sign }),
        highlightSelectionMatches(),
        search({ top: true }),
        json(),
        linter((of) => problemsIn(of.state.doc.toString(), words), { delay: LINT_MS }),
        syntaxHighlighting(highlighting()),
        look(dark),
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        keymap.of([...KEYS, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed();
        }),
      ],
    }),
  });
  const change = (changes: ChangeSpec): void => view.dispatch({ changes, userEvent: "input" });
  return {
    host,
    text: () => view.state.doc.toString(),
    replace: (from, to, insert) => change({ from, to, insert }),
    take: (fresh) => {
      const changes = changedLines(view.state.doc.toString(), fresh);
      view.dispatch({ changes, annotations: Transaction.addToHistory.of(false) });
    },
    show: (from) => {
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
  };
}

/** What stands for a sign that cannot be seen; the text keeps the sign. */
function sign(code: number, description: string | null): HTMLElement {
  const mark = document.createElement("span");
  mark.className = "cm-hidden-sign";
  mark.textContent = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  if (description) mark.title = description;
  return mark;
}

function problemsIn(text: string, words: Words): { from: number; to: number; severity: "error"; message: string }[] {
  try {
    scan(text);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const from = Math.min(error.at, text.length);
    return [{ from, to: Math.min(from + 1, text.length), severity: "error", message: problemOf(words, error, text) }];
  }
  return [];
}

function highlighting(): HighlightStyle {
  return HighlightStyle.define([
    { tag: tags.propertyName, color: COLOURS.key },
    { tag: tags.string, color: COLOURS.text },
    { tag: tags.number, color: COLOURS.number },
    { tag: [tags.bool, tags.null], color: COLOURS.word },
  ]);
}

function look(dark: boolean): ReturnType<typeof EditorView.theme> {
  return EditorView.theme(
    {
      "&": {
        height: "min(70vh, 44rem)",
        color: "var(--tblr-body-color)",
        backgroundColor: "var(--tblr-bg-forms, var(--tblr-bg-surface))",
        border: "1px solid var(--tblr-border-color)",
        borderRadius: "var(--tblr-border-radius)",
        fontSize: "var(--tblr-font-size-h5, .8125rem)",
      },
      "&.cm-focused": { outline: "2px solid var(--tblr-primary)", outlineOffset: "-1px" },
      ".cm-scroller": { fontFamily: "var(--tblr-font-monospace)" },
      ".cm-content": { caretColor: "var(--tblr-body-color)" },
      ".cm-gutters": {
        color: "var(--tblr-secondary)",
        backgroundColor: "var(--tblr-bg-surface-secondary)",
        borderRight: "1px solid var(--tblr-border-color)",
      },
      ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--tblr-primary) 8%, transparent)" },
      ".cm-hidden-sign": {
        padding: "0 .25em",
        color: "light-dark(oklch(42% 0.14 40), oklch(84% 0.11 70))",
        backgroundColor: "light-dark(oklch(95% 0.05 80), oklch(32% 0.06 60))",
      },
      ".cm-cursor": { borderLeftColor: "var(--tblr-body-color)" },
      ".cm-panels, .cm-tooltip": {
        color: "var(--tblr-body-color)",
        backgroundColor: "var(--tblr-bg-surface)",
        borderColor: "var(--tblr-border-color)",
      },
    },
    { dark },
  );
}
