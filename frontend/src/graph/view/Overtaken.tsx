// Says that someone else changed what this page has just saved, with both values and a way to either.

import { useId, useState } from "react";

import type { WorkflowDocument } from "../model/document";
import { nameOf } from "../model/merge";
import { isStanding, takenBack } from "../model/overtaken";
import type { OvertakenBy as Past } from "../store";
import { t } from "../texts";
import { calledAuthor } from "./accessible_names";
import { useDesk, useEditor } from "./context";
import { Icon } from "./Icon";
import { calledIn, jsonOf, useTold } from "./MergeDialog";
import { SideOf } from "./Sides";

export function Overtaken() {
  const { store } = useDesk();
  const first = useEditor(({ overtaken, document }) => overtaken.find((each) => isStanding(each, document)));
  if (!first) return null;
  const done = (): void => {
    const { overtaken, set } = store.getState();
    set({ overtaken: overtaken.filter((each) => each !== first) });
  };
  const takeBack = (): void => {
    const { document, edit } = store.getState();
    const back = takenBack(first, document);
    done();
    if (back) edit(back, first.theirs === undefined ? t("Restore {what}", { what: nameIn(first, document) }) : t("Edit {what}", { what: nameIn(first, document) }));
  };
  return <OvertakenNotice key={nameOf(first)} conflict={first} onTheirs={done} onMine={takeBack} />;
}

interface Props {
  readonly conflict: Past;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}

function OvertakenNotice({ conflict, onTheirs, onMine }: Props) {
  const { by } = conflict;
  const document = useEditor((state) => state.document);
  const [isFolded, setFolded] = useState(false);
  const sidesId = useId();
  const isRemoved = conflict.theirs === undefined && conflict.kind !== "reducer";
  const told = useTold(isRemoved ? [] : [conflict], [document])[nameOf(conflict)];
  const sides = [
    [t("Mine"), 1, conflict.mine],
    [by?.isMe ? t("Other tab") : t("Theirs"), 2, conflict.theirs],
  ] as const;
  return (
    <section className="editor-overtaken" aria-label={t("Changed after you")}>
      <p role="alert">
        <Icon name="alert-triangle" />
        <span>{words(conflict, document, calledAuthor(by))}</span>
      </p>
      {!isRemoved && (
        <div className="editor-sides" id={sidesId} hidden={isFolded}>
          {sides.map(([label, side, value]) => (
            <div key={side}>
              <strong>{label}</strong>
              <SideOf told={told} side={side} json={jsonOf(value, conflict)} isDeleted={value === undefined} />
            </div>
          ))}
        </div>
      )}
      <div className="btn-list">
        <button type="button" className="btn btn-sm btn-primary" onClick={onTheirs}>
          {isRemoved ? t("Leave it deleted") : by?.isMe ? t("Keep the other tab’s") : t("Keep theirs")}
        </button>
        <button type="button" className="btn btn-sm" onClick={onMine}>
          {isRemoved ? t("Restore") : t("Use mine")}
        </button>
        {!isRemoved && (
          <button type="button" className="btn btn-sm btn-ghost-secondary" aria-expanded={!isFolded} aria-controls={sidesId} onClick={() => setFolded(!isFolded)}>
            {isFolded ? t("Show both values") : t("Hide both values")}
          </button>
        )}
      </div>
    </section>
  );
}

function nameIn(conflict: Past, document: WorkflowDocument): string {
  const { kind, key, mine } = conflict;
  return kind === "name" ? t("workflow") : kind === "reducer" ? key : calledIn({ ...conflict, base: mine }, document);
}

function words(conflict: Past, document: WorkflowDocument, who: string): string {
  const { kind, key, theirs } = conflict;
  if (kind === "name") return t("{who} changed the name of the workflow after you saved it.", { who });
  if (kind === "reducer") return t("{who} changed the reducer of “{name}” after you saved it.", { who, name: key });
  const name = nameIn(conflict, document);
  return theirs === undefined ? t("{who} deleted “{name}” after you saved it.", { who, name }) : t("{who} changed “{name}” after you saved it.", { who, name });
}
