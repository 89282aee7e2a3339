import * as z from 'zod';

/** An integer beyond ±(2^53 − 1) is a bigint, so that an identifier of 64 bits stays the one that a server gave. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Only the outer shape is checked: what is read has just come out of `parseJson`, so walking every value again
 * would cost as much as the parse and find nothing.
 */
export const json = z.custom<Json>((value) => value !== undefined);
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);
