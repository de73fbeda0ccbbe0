// An icon of the page's sprite.

import { createContext, useContext } from "react";

export const Sprite = createContext("");

export function Icon({ name }: { name: string }) {
  const sprite = useContext(Sprite);
  return (
    <svg className="icon" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
