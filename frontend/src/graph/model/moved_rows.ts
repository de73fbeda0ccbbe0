// Rows of a form that others moved: who types in one goes on in it.

const NUMBERS = /-\d+(?=-|$)/g;

/** The name by now of the field that said a text under a name: of a row that has moved, else the same. */
export function movedName(name: string, text: string, fields: readonly (readonly [name: string, value: string])[]): string {
  if (!text || fields.some((field) => field[0] === name && field[1] === text)) return name;
  const shape = name.replace(NUMBERS, "-#");
  const found = fields.filter(([other, value]) => value === text && other.replace(NUMBERS, "-#") === shape);
  return found.length === 1 && found[0] ? found[0][0] : name;
}
