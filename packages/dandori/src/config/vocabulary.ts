import * as z from 'zod';
import { nearest } from '../core/nearest.ts';
import { oneOf } from './field.ts';
import { type Path, pathText } from './place.ts';

/** All keys that a shape knows, by the group that they stand in. Names that the user gives are `<name>`. */
export type Vocabulary = ReadonlyMap<string, readonly string[]>;

const NAME = '<name>';

export function vocabularyOf(schema: z.ZodType): Vocabulary {
  const groups = new Map<string, string[]>();
  collect(schema, [], groups);
  return groups;
}

/** What was most likely meant by a key that is not known here. `foreign` are words that other programs use. */
export function keyHint(
  key: string,
  path: Path,
  { vocabulary, foreign }: { vocabulary: Vocabulary; foreign: ReadonlyMap<string, string> },
): string {
  const here = groupOf(path, vocabulary);
  const known = vocabulary.get(here) ?? [];
  const told = foreign.get(here === '' ? key : `${here}.${key}`) ?? foreign.get(`*.${key}`);
  if (told !== undefined) return told;
  const elsewhere = [...vocabulary].filter(([group, keys]) => group !== here && keys.includes(key));
  const near = nearest(key, known);
  // A key that is right in one other place is more likely misplaced than misspelt; `name` and `enabled` are in many.
  if (elsewhere.length === 1 || (elsewhere.length > 0 && near === undefined)) {
    return `${key} belongs ${oneOf(elsewhere.slice(0, 3).map(([group]) => placeOf(group)))}`;
  }
  if (near !== undefined) return `did you mean "${near}"?`;
  const match = nearest(key, [...vocabulary.values()].flat());
  const home = [...vocabulary].find(([, keys]) => match !== undefined && keys.includes(match))?.[0];
  if (home !== undefined) return `did you mean "${match}", which belongs ${placeOf(home)}?`;
  return `known here: ${known.join(', ')}`;
}

function placeOf(group: string): string {
  return group === '' ? 'at the top' : `under ${group}`;
}

function collect(schema: z.ZodType, path: string[], groups: Map<string, string[]>): void {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) {
    groups.set(path.join('.'), Object.keys(inner.shape));
    for (const [key, child] of Object.entries(inner.shape))
      collect(child as z.ZodType, [...path, key], groups);
  } else if (inner instanceof z.ZodRecord) collect(inner.valueType as z.ZodType, [...path, NAME], groups);
  else if (inner instanceof z.ZodArray) collect(inner.element as z.ZodType, path, groups);
  else if (inner instanceof z.ZodUnion)
    for (const option of inner.options) collect(option as z.ZodType, path, groups);
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.in as z.ZodType) : schema;
}

function groupOf(path: Path, vocabulary: Vocabulary): string {
  const keys = path.filter((part) => typeof part === 'string');
  const group = pathText(keys);
  if (vocabulary.has(group)) return group;
  return keys.length < 2 ? group : pathText([...keys.slice(0, -1), NAME]);
}
