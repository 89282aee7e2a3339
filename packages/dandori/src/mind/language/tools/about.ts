import type { JsonObject } from '../../../domain/json.ts';
import type { Action } from '../../../domain/task.ts';
import { isFields } from '../../json/shape.ts';

/**
 * The one argument of ours that every tool takes beside its own: what an action has besides operation and arguments.
 * A call has no other place for it.
 */
export const ABOUT = '_task';

/** Told once in the instructions; here it only has to be allowed. */
const SCHEMA: JsonObject = { type: 'object' };

/** The schema of a tool with room for it. A tool that has an argument of that name keeps it for itself. */
export function withAbout(schema: JsonObject): JsonObject {
  const properties = isFields(schema.properties) ? (schema.properties as JsonObject) : {};
  if (Object.hasOwn(properties, ABOUT)) return schema;
  return { ...schema, properties: { ...properties, [ABOUT]: SCHEMA } };
}

/** The arguments of a call with what else is to be said of the action. */
export function writeAbout(
  { id, args, after, expect, timeout, description, reasoning, step }: Action,
  expectedId: string,
): JsonObject {
  const about: JsonObject = {
    ...(id !== expectedId && { id }),
    ...(after !== undefined && { after }),
    ...(expect !== undefined && { expect }),
    ...(timeout !== undefined && { timeout: timeout / 1000 }),
    ...(description !== undefined && { description }),
    ...(reasoning !== undefined && { reasoning }),
    ...(step !== undefined && { step }),
  };
  return Object.keys(about).length === 0 ? args : { ...args, [ABOUT]: about };
}

/** The fields of an action and its arguments apart. */
export function readAbout(
  args: unknown,
  schema: JsonObject | undefined,
): { readonly fields: object; readonly args: unknown } {
  const isTheirs = isFields(schema?.properties) && Object.hasOwn(schema.properties, ABOUT);
  if (!isFields(args) || isTheirs || !isFields(args[ABOUT])) return { fields: {}, args };
  const { [ABOUT]: about, ...rest } = args;
  return { fields: isFields(about) ? about : {}, args: rest };
}
