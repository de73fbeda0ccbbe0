// A button of the editor, with its key in its tooltip and in the page's list of keys.

import type { ReactNode } from "react";
import { capsOf } from "../../keys/model";
import { Icon } from "./Icon";

interface ToolProps {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  /** As the page's list of keys has it, under `name` if the label changes. */
  readonly keys?: string;
  readonly name?: string;
  readonly children?: ReactNode;
}

export function Tool({ icon, label, onClick, disabled, pressed, keys, name, children }: ToolProps) {
  const [way = ""] = keys?.split(" | ") ?? [];
  const known = way ? `${label} (${capsOf(way).join(" ")})` : label;
  return (
    <button type="button" className={`btn btn-sm${children ? "" : " btn-icon"}`} title={known} aria-label={children ? undefined : label} aria-pressed={pressed} disabled={disabled} onClick={onClick} data-key={keys} data-key-label={keys && (name ?? label)}>
      <Icon name={icon} />
      {children}
    </button>
  );
}
