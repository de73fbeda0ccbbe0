// The way of a line from the right of one card to the left of another.

import { CARD } from "./places";

export interface Way {
  readonly path: string;
  /** The middle, where its chips stand. */
  readonly x: number;
  readonly y: number;
}

const BEND = 70;

export function wayOf(sourceX: number, sourceY: number, targetX: number, targetY: number): Way {
  return targetX < sourceX ? wayBack(sourceX, sourceY, targetX, targetY) : wayOn(sourceX, sourceY, targetX, targetY);
}

function wayOn(sourceX: number, sourceY: number, targetX: number, targetY: number): Way {
  const middle = (sourceX + targetX) / 2;
  return { path: `M${sourceX} ${sourceY}C${middle} ${sourceY} ${middle} ${targetY} ${targetX} ${targetY}`, x: middle, y: (sourceY + targetY) / 2 };
}

/** To a card further left, or to the card itself: above both cards, or between their two rows. */
function wayBack(sourceX: number, sourceY: number, targetX: number, targetY: number): Way {
  const isOneRow = Math.abs(sourceY - targetY) < CARD.height + 24;
  const far = (sourceX - targetX) * 0.04;
  const over = isOneRow ? Math.min(sourceY, targetY) - CARD.height / 2 - 40 - far : Math.max(sourceY, targetY) - CARD.height / 2 - 34;
  const path =
    `M${sourceX} ${sourceY}C${sourceX + BEND} ${sourceY} ${sourceX + BEND} ${over} ${sourceX - 20} ${over}` +
    `L${targetX + 20} ${over}C${targetX - BEND} ${over} ${targetX - BEND} ${targetY} ${targetX} ${targetY}`;
  return { path, x: (sourceX + targetX) / 2, y: over };
}
