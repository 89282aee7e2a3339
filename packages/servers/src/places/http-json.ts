import type { z } from 'zod';
import { SaidError } from '../said.ts';

const DEFAULT_TIME_LIMIT_MS = 5000;
const MAX_BYTES = 1_000_000;

/** Requests JSON of a known shape. An error is one sentence with the address. */
export async function getJson<Schema extends z.ZodType>(
  url: URL,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const timeLimitMs = Number(process.env.DANDORI_PLACES_TIMEOUT_MS) || DEFAULT_TIME_LIMIT_MS;
  const text = await download(url, timeLimitMs, signal);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new SaidError({
      en: `${url.origin} did not answer with JSON. Check the configured base URL.`,
      ja: `${url.origin} の応答は JSON ではありません。設定した URL を確認してください。`,
    });
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = `${issue?.path.join('.') || 'top level'}: ${issue?.message ?? 'unknown'}`;
  throw new SaidError({
    en: `${url.origin} answered with JSON of an unexpected shape (${where}). Check the configured base URL.`,
    ja: `${url.origin} の応答は想定外の JSON です（${where}）。設定した URL を確認してください。`,
  });
}

async function download(url: URL, timeLimitMs: number, signal: AbortSignal): Promise<string> {
  const timeLimit = AbortSignal.timeout(timeLimitMs);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, timeLimit]),
      headers: { accept: 'application/json' },
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ServiceError({
        en: `${url.origin} answered with HTTP ${response.status}. Try again later.`,
        ja: `${url.origin} の応答は HTTP ${response.status} でした。しばらくしてから再試行してください。`,
      });
    }
    return await readBounded(response, url);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (timeLimit.aborted) {
      throw new SaidError({
        en: `${url.origin} did not answer within ${timeLimitMs / 1000} s. Try again later.`,
        ja: `${url.origin} から ${timeLimitMs / 1000} 秒以内に応答がありません。しばらくしてから再試行してください。`,
      });
    }
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SaidError({
      en: `${url.origin} cannot be reached: ${reason}.`,
      ja: `${url.origin} に接続できません：${reason}。`,
    });
  }
}

async function readBounded(response: Response, url: URL): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES)
      throw new ServiceError({
        en: `${url.origin} sent more than ${MAX_BYTES} bytes.`,
        ja: `${url.origin} の応答が ${MAX_BYTES} バイトを超えました。`,
      });
  }
  return text + decoder.decode();
}

class ServiceError extends SaidError {}
