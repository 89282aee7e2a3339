/** No arguments are deeper, and much deeper ones overflow the stack of whatever walks through them. */
export const DEEPEST = 100;

export const TOO_DEEP = `its JSON is nested more than ${DEEPEST} deep`;

export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1));
}
