/** The words that models use for the parts of an action. Ours come first. */
export const LIST_KEYS: readonly string[] = ['actions', 'elements', 'tasks', 'tool_calls'];
export const OPERATION_KEYS: readonly string[] = ['operation', 'tool', 'name'];
export const ARGUMENT_KEYS: readonly string[] = ['args', 'arguments', 'parameters', 'input'];

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of these keys that the object has with a value. */
export function firstOf(fields: Fields, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** `name` alone says little: people and products have names too. */
export function looksLikeAction(value: unknown): boolean {
  if (!isFields(value)) return false;
  if (typeof value.operation === 'string' || typeof value.tool === 'string') return true;
  if (isFields(value.function)) return typeof value.function.name === 'string';
  return typeof value.name === 'string' && firstOf(value, ARGUMENT_KEYS) !== undefined;
}
