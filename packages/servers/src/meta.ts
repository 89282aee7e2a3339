import type { ServerContext } from '@modelcontextprotocol/server';

/**
 * A call repeated with the same key in its `_meta` changes nothing twice. A tool that keeps this says so in its own
 * `_meta`.
 */
export const IDEMPOTENCY_KEY = 'dandori/idempotencyKey';
/** A call with this in its `_meta` changes nothing and answers with what it would do. Announced in the same way. */
export const PREVIEW = 'dandori/preview';

export function keyOf(context: ServerContext): string | undefined {
  const key = context.mcpReq._meta?.[IDEMPOTENCY_KEY];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key !== '' && key.length <= 200) return key;
  throw new Error(`_meta["${IDEMPOTENCY_KEY}"] must be a text of 1 to 200 characters.`);
}

export function isPreview(context: ServerContext): boolean {
  return context.mcpReq._meta?.[PREVIEW] === true;
}
