// Says that someone else changed what this page has just saved, with both values and a way to either.

import { change } from "../model/commands";
import type { Element } from "../model/document";
import { find } from "../model/document";
import { type Conflict, nameOf } from "../model/merge";
import { isStanding, takenBack } from "../model/overtaken";
import { t } from "../texts";
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
    const kind = first.kind as "node" | "edge";
    const now = find<Element>(kind === "node" ? document.nodes : document.edges, first.key);
    done();
    if (now) edit(change(document, kind, first.key, takenBack(first, now)), t("Use mine"));
  };
  return <Told key={nameOf(first)} conflict={first} onTheirs={done} onMine={takeBack} />;
}

interface Props {
  readonly conflict: Conflict;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}

function Told({ conflict, onTheirs, onMine }: Props) {
  const who = useEditor((state) => state.by);
  const document = useEditor((state) => state.document);
  const told = useTold([conflict], [document])[nameOf(conflict)];
  const sides = [
    [t("Mine"), 1, conflict.mine],
    [t("Theirs"), 2, conflict.theirs],
  ] as const;
  return (
    <section className="editor-overtaken" aria-label={t("Changed after you")}>
      <p role="alert">
        <Icon name="alert-triangle" />
        <span>{t("{who} changed “{name}” after you saved it.", { who: who || t("Someone else"), name: calledIn(conflict, document) })}</span>
      </p>
      <div className="editor-sides">
        {sides.map(([label, side, value]) => (
          <div key={side}>
            <strong>{label}</strong>
            <SideOf told={told} side={side} json={jsonOf(value, conflict)} />
          </div>
        ))}
      </div>
      <div className="btn-list">
        <button type="button" className="btn btn-sm btn-primary" onClick={onTheirs}>
          {t("Keep theirs")}
        </button>
        <button type="button" className="btn btn-sm" onClick={onMine}>
          {t("Use mine")}
        </button>
      </div>
    </section>
  );
}
