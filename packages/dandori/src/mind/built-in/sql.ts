import type { Chaining } from './draft.ts';
import { literalText } from './literal.ts';
import type { Parameter } from './parameter.ts';
import type { Sourced } from './source.ts';
import { wordsOf } from './words.ts';

/** What a statement needs to be written: the table that the goal speaks of. */
export function tableParameter(): Parameter {
  return {
    name: 'table',
    kind: 'name',
    words: wordsOf('table'),
    description: '',
    schema: { type: 'string' },
    isRequired: true,
    choices: [],
  };
}

/**
 * Reads a whole table, or counts it where the goal asks how many. The name must be known: it comes from a tool's
 * result, and one that is no plain identifier is quoted, so that it cannot become a statement of its own.
 */
export function selectFrom(
  { value, known }: Extract<Sourced, { kind: 'value' }>,
  { goal }: Chaining,
): Sourced {
  if (typeof known !== 'string' || typeof value !== 'string') return { kind: 'later' };
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(known);
  const name = isPlain ? value : literalText(`"${known.replaceAll('"', '""')}"`);
  const what = /\bhow many\b|\bcount\b|\bnumber of\b|何件|何個|いくつ|件数/i.test(goal.text)
    ? 'COUNT(*) AS count'
    : '*';
  const statement = `SELECT ${what} FROM ${name}`;
  return { kind: 'value', value: statement, known: statement };
}
