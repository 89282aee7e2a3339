import type { Json, JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { canonical } from './canonical.ts';
import { isSameButSecrets } from './redact.ts';

const SHOWN = 200;

/** What is written is held against what is derived: nothing where they are the same. */
export function same(name: string, written: unknown, derived: unknown): string[] {
  if (isSame(written, derived)) return [];
  return [`${name} is ${shown(written)} where ${shown(derived)} must be`];
}

function shown(value: unknown): string {
  const text = stringifyJson(value) ?? 'nothing';
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

/** A secret that came about only when texts were put together was taken out when it was written down. */
export function isSame(written: unknown, derived: unknown): boolean {
  if (written === undefined || derived === undefined) return written === derived;
  const one = stringifyJson(canonical(written as Json));
  if (one === stringifyJson(canonical(derived as Json))) return true;
  return one.includes('[secret') && isSameButRedacted(written as Json, derived as Json);
}

function isSameButRedacted(written: Json, derived: Json): boolean {
  if (typeof written === 'string') return typeof derived === 'string' && isSameButSecrets(written, derived);
  if (typeof written !== 'object' || written === null) return written === derived;
  if (typeof derived !== 'object' || derived === null) return false;
  const [mine, theirs] = [Object.entries(written), Object.entries(derived)];
  return (
    Array.isArray(written) === Array.isArray(derived) &&
    mine.length === theirs.length &&
    mine.every(([key, value]) => isSameButRedacted(value, (derived as JsonObject)[key] ?? null))
  );
}
