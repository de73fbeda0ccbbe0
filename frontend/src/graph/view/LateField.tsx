// A field whose text counts when it is left, completed with Enter or taken from its list: half an id is no mistake.

import { type ComponentProps, useEffect, useState } from "react";

interface Props extends Pick<ComponentProps<"input">, "list" | "inputMode"> {
  readonly label: string;
  readonly value: string;
  /** Whether a text counts at once. */
  readonly isWhole?: (text: string) => boolean;
  readonly onTake: (text: string) => void;
  /** `Enter`, or a choice from the list: nothing more is to be typed. */
  readonly onDone: () => void;
}

export function LateField({ label, value, isWhole = () => false, onTake, onDone, ...rest }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const take = (): void => {
    if (text !== value) onTake(text);
  };
  return (
    <label className="field">
      <span className="form-label">{label}</span>
      <input
        {...rest}
        className="form-control"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target, nativeEvent }) => {
          setText(target.value);
          // A list of the browser replaces the text as a whole; some say nothing of how.
          const isFromList = ["insertReplacementText", undefined].includes((nativeEvent as InputEvent).inputType);
          if (isFromList || isWhole(target.value)) onTake(target.value);
          if (isFromList && rest.list) onDone();
        }}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          take();
          onDone();
        }}
      />
    </label>
  );
}
