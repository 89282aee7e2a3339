import type { ServerContext } from '@modelcontextprotocol/server';

/**
 * A call repeated with the same key in its `_meta` changes nothing twice. A tool that keeps this says so in its own
 * `_meta`.
 */
export const IDEMPOTENCY_KEY = 'dandori/idempotencyKey';
/**
 * A call with this in its `_meta` changes nothing and answers with what it would do. Announced in the same way. The
 * answer is structured content, or in the result's `_meta` under the same name if the output schema has no room for it.
 */
export const PREVIEW = 'dandori/preview';
/** The language of the user, in the `_meta` of a preview. */
const LANGUAGE = 'dandori/language';

/** What a call would do, for the user who approves it. */
export interface Preview {
  readonly summary: string;
  readonly diff?: string;
  readonly reversible?: boolean;
  /** Arguments that name exactly what the preview is about. They are added to those of the call. */
  readonly args?: Record<string, unknown>;
}

export function keyOf(context: ServerContext): string | undefined {
  const key = context.mcpReq._meta?.[IDEMPOTENCY_KEY];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key !== '' && key.length <= 200) return key;
  throw new Error(`_meta["${IDEMPOTENCY_KEY}"] must be a text of 1 to 200 characters.`);
}

export function isPreview(context: ServerContext): boolean {
  return context.mcpReq._meta?.[PREVIEW] === true;
}

/** `undefined` if the host does not say it. */
export function languageOf(context: ServerContext): 'en' | 'ja' | undefined {
  const language = context.mcpReq._meta?.[LANGUAGE];
  return language === 'ja' || language === 'en' ? language : undefined;
}
