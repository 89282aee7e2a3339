import { isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { query } from '../../src/plan/query.ts';

/**
 * An expression that a plan could have before anything is read: rows that have a word of the goal in a field, a number
 * of these rows, and a number or percentage of the goal. Undefined if no such expression gives the value.
 */
export function formulaFor(goal: string, result: Json, value: Json): string | undefined {
  if (typeof value !== 'number' || !Array.isArray(result)) return undefined;
  const rows: JsonObject[] = result.filter((row) => isObject(row));
  const [first = {}] = rows;
  const texts = Object.keys(first).filter((name) => typeof first[name] === 'string');
  const numbers = Object.keys(first).filter((name) => typeof first[name] === 'number' && name !== 'id');
  for (const word of wordsOf(goal))
    for (const text of texts)
      for (const number of numbers) {
        const found = `[?contains(${text}, '${word}')].${number}`;
        for (const base of [`(${found} | [0])`, `sum(${found})`])
          for (const end of ['', ...endsOf(goal)]) {
            const path = `${base}${end}`;
            if (rows.some((row) => String(row[text]).includes(word)) && isGiven(result, path, value))
              return path;
          }
      }
  return undefined;
}

/** Words that name something: an account, a capitalised name. */
function wordsOf(goal: string): string[] {
  return [...new Set(goal.match(/\p{Lu}[\p{L}\p{N}]{3,}/gu))];
}

function endsOf(goal: string): string[] {
  const plain = goal.match(/\b\d+(?:\.\d+)?\b/g) ?? [];
  const percent = [...goal.matchAll(/(\d+(?:\.\d+)?)\s*%/g)].map(([, number = '']) => number);
  return [
    ...plain.flatMap((number) => [` - \`${Number(number)}\``, ` + \`${Number(number)}\``]),
    ...percent.map((number) => ` * \`${number}\` / \`100\``),
  ];
}

function isGiven(result: Json, path: string, value: Json): boolean {
  try {
    return query(result, path) === value;
  } catch {
    return false;
  }
}
