import { parseJson } from '../../domain/json-text.ts';

/** Keys and indexes of a path as records write it: `a.b[0]["odd key"]`. */
export type PathStep = string | number;

const STEP = /\.?([^.[\]"]+)|\[(-?\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(path);
    if (match === null)
      throw new Error(`"${path}" is no path: it cannot be read from "${path.slice(at)}" on.`);
    const [, key, index, quoted] = match;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(quoted === undefined ? String(key) : (parseJson(quoted) as string));
  }
  return steps;
}
