import { parseArgs } from 'node:util';

/**
 * What a person typed behind one of our commands: numbers by name, and `--json`. Anything else is refused
 * with the usage. `argv`: without what the caller has understood.
 */
export function numbersAsked<Name extends string>(
  usage: string,
  names: readonly Name[],
  argv: readonly string[] = process.argv.slice(2),
): Readonly<Partial<Record<Name, number>>> & { readonly json: boolean } {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
    const flag = { type: 'boolean' as const, default: false };
    const { values } = parseArgs({ args: [...argv], options: { ...options, json: flag, help: flag } });
    const { json, help, ...typed } = values as Record<string, string | boolean | undefined>;
    if (help === true) end(usage, 0);
    const numbers = Object.entries(typed).map(([name, text]) => [name, wholeNumber(name, text)]);
    return { ...Object.fromEntries(numbers), json: json === true };
  } catch (error) {
    return end(`${error instanceof Error ? error.message : error}\n${usage}`, 2);
  }
}

function wholeNumber(name: string, text: unknown): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name} takes a whole number from 1, not "${text}".`);
  return number;
}

function end(text: string, code: number): never {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}
