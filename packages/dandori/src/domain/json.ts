import * as z from 'zod';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Only the outer shape is checked: what is read has just come out of `JSON.parse`, so walking every value again
 * would cost as much as the parse and find nothing.
 */
export const json = z.custom<Json>((value) => value !== undefined);
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);
