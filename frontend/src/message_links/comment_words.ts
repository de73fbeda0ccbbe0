// A comment that was found: its words are marked in it alone, so that the page finds none of them in messages.

import { mark, unfold } from "../find/marks";
import { textsIn } from "../find/model";
import { commentIn } from "./model";

/** Mark the words of the address in the comment that it names, also where it is folded. */
export function markComment(comment: HTMLElement): void {
  const { hash, searchParams } = new URL(location.href);
  const words = searchParams.get("words");
  if (!words || commentIn(hash) === null) return;
  const wanted = { texts: textsIn(words), isWhole: searchParams.has("whole") };
  unfold(comment.querySelectorAll("details"), wanted);
  mark(comment, wanted, (around) => !around.closest(".comment-head, summary"));
}
