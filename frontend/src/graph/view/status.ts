// How saving stands, in words.

import { t } from "../texts";
import { useEditor } from "./context";

interface Status {
  readonly icon: string;
  readonly text: string;
  readonly tone: "quiet" | "good" | "bad";
  readonly kind: string;
}

export function useStatus(): Status {
  const saving = useEditor((state) => state.saving);
  const clash = useEditor((state) => state.clash);
  const mayChange = useEditor((state) => state.mayChange);
  if (!mayChange) return { icon: "eye", text: t("Read only"), tone: "quiet", kind: "reading" };
  if (clash) return { icon: "git-merge", text: t("Not saved: decide what stays"), tone: "bad", kind: "clash" };
  const { kind } = saving;
  switch (saving.kind) {
    case "saved":
      return { icon: "circle-check", text: t("Saved"), tone: "good", kind };
    case "waiting":
    case "saving":
      return { icon: "refresh", text: t("Saving…"), tone: "quiet", kind };
    case "offline":
      return { icon: "wifi-off", text: t("Not saved: the server does not answer. Your changes are kept here."), tone: "bad", kind };
    case "signed-out":
      return { icon: "lock", text: t("Not saved: you are signed out. Your changes are kept here."), tone: "bad", kind };
    case "refused":
      return { icon: "alert-circle", text: t("Not saved: {why}", { why: saving.why }), tone: "bad", kind };
  }
}
