/** A step of a path; at the beginning a key stands without its dot. Quoted keys with escapes are left to JMESPath. */
const STEP = /\[(-?\d+)\]|(?:^|(?!^)\.)(?:([A-Za-z_]\w*)|"([^"\\\p{Cc}]*)")/uy;

/**
 * The keys and indexes of a JMESPath expression that holds nothing else, as nearly every Ref: `rows[0]."odd key"`.
 * Undefined for all others.
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
