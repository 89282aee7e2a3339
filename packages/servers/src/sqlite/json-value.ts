import type { SQLOutputValue } from 'node:sqlite';

export type JsonValue = string | number | boolean | null | { base64: string; bytes: number };

/** JSON has no bytes and no infinity, and not every reader keeps integers beyond 2^53 exact. */
export function toJson(value: SQLOutputValue): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Uint8Array)
    return { base64: Buffer.from(value).toString('base64'), bytes: value.byteLength };
  return value;
}
