// The status of saving, in words.

import { t, tn } from "../texts";
import { useEditor } from "./context";

interface Status {
  readonly icon: string;
  readonly text: string;
  /** The same at length, for a tooltip. */
  readonly whole?: string;
  readonly tone: "quiet" | "good" | "bad";
  readonly kind: string;
}

export function useStatus(): Status {
  const saving = useEditor((state) => state.saving);
  const clash = useEditor((state) => state.clash);
  const fails = useEditor((state) => (Object.values(state.typed).some(({ isRead }) => !isRead) ? state.readingFails : null));
  const unread = useEditor((state) => Object.values(state.typed).some(({ isRead }) => !isRead));
  const unreadable = useEditor((state) => Object.values(state.typed).filter(({ isRead }) => isRead).length);
  const wrongNumber = useEditor((state) => state.wrongNumber);
  const mayChange = useEditor((state) => state.mayChange);
  if (!mayChange) return { icon: "eye", text: t("Read only"), tone: "quiet", kind: "reading" };
  if (clash) return { icon: "git-merge", text: t("Not saved: resolve the conflicts"), tone: "bad", kind: "clash" };
  const { kind } = saving;
  // Two short lines beside a button have room in the toolbar.
  const offline = { icon: "wifi-off", text: t("Offline. Your edits are kept."), whole: t("Not saved: no connection. Your changes are kept here."), tone: "bad", kind: "offline" } as const;
  const signedOut = { icon: "lock", text: t("Signed out. Your edits are kept."), whole: t("Not saved: you are signed out. Your changes are kept here."), tone: "bad", kind: "signed-out" } as const;
  // A form that waits to be read is no more saved than a document that waits to be sent.
  if (kind === "saved" || kind === "waiting") {
    if (fails === "offline") return offline;
    if (fails === "signed-out") return signedOut;
    if (unread) return { icon: "refresh", text: t("Saving…"), tone: "quiet", kind: "waiting" };
    if (kind === "saved" && wrongNumber) return { icon: "alert-circle", text: t("Not saved: {why}", { why: wrongNumber }), tone: "bad", kind: "number" };
    if (kind === "saved" && unreadable) {
      const text = tn("{n} form not saved", "{n} forms not saved", unreadable);
      return { icon: "alert-circle", text, tone: "bad", kind: "typed" };
    }
  }
  switch (saving.kind) {
    case "saved":
      return { icon: "circle-check", text: t("Saved"), tone: "good", kind };
    case "waiting":
    case "saving":
      return { icon: "refresh", text: t("Saving…"), tone: "quiet", kind };
    case "offline":
      return offline;
    case "signed-out":
      return signedOut;
    case "refused":
      return { icon: "alert-circle", text: t("Not saved: {why}", { why: saving.why }), tone: "bad", kind };
  }
}
