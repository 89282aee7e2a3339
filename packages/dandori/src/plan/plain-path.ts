import type { Json } from '../model/json.ts';

/** A step of a path. The first key has no dot. Quoted keys with escapes are left to JMESPath. */
const STEP = /\[(-?\d+)\]|(?:^|(?!^)\.)(?:([A-Za-z_]\w*)|"([^"\\\p{Cc}]*)")/uy;

/**
 * The keys and indexes of an expression that contains nothing else, such as `rows[0]."odd key"`. Nearly every
 * Ref is one. Undefined for all others.
 */
export function plainPath(expression: string): (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < expression.length) {
    const step = STEP.exec(expression);
    if (step === null) return undefined;
    const [, index, key, quoted = ''] = step;
    steps.push(index === undefined ? (key ?? quoted) : Number(index));
  }
  return steps;
}

/** Unlike `valueAt`, it counts a negative index from the end, as JMESPath does. */
export function valueOnPath(value: Json, steps: readonly (string | number)[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of steps) {
    if (Array.isArray(here)) here = typeof step === 'number' ? here.at(step) : undefined;
    else if (typeof here !== 'object' || here === null || typeof step === 'number') return undefined;
    else here = Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}
