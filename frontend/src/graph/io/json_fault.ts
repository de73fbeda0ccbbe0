// What is wrong with a JSON text, as the forms of states say it too.

import { NotJson, scan } from "../../state/model/scan";
import { t } from "../texts";

/** Where a text is no JSON and why; "" if it is some. */
export function jsonFault(text: string): string {
  try {
    scan(text);
    return "";
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const before = text.slice(0, error.at);
    const line = before.split("\n").length;
    const column = error.at - before.lastIndexOf("\n");
    return t("Line {line}, column {column}: {what}", { line, column, what: wordsOf(error) });
  }
}

function wordsOf({ reason }: NotJson): string {
  const words: Record<NotJson["reason"], string> = {
    end: t("the text ends too early"),
    value: t("a value is missing"),
    key: t("a key in double quotes is missing"),
    colon: t("a colon is missing"),
    comma: t("a comma or a closing bracket is missing"),
    rest: t("there is text after the end"),
    string: t("this character must be escaped"),
    number: t("not a number"),
    deep: t("nested too deeply"),
  };
  return words[reason];
}
