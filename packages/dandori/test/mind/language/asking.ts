import { createLanguageMind } from '../../../src/mind/language/mind.ts';
import type { LanguageMindOptions } from '../../../src/mind/language/options.ts';
import type { Mind, Thinking, Thought } from '../../../src/mind/mind.ts';
import {
  type ModelReply,
  type ModelServer,
  startModelServer,
} from '../../../src/testing/model-server/index.ts';
import { Story } from './thought.ts';

export const KEY = 'very-secret-key-123456';
export const find = { id: 't1', operation: 'places.find', args: { q: 'Kyoto' } };
export const now = { id: 't2', operation: 'weather.now', args: { q: '${t1.city}' } };
export const answer = { id: 't1', operation: 'answer', args: { text: 'Sunny, and 20 °C.', achieved: true } };

const servers: ModelServer[] = [];

/** One thought of a mind whose model gives this reply. */
export async function think(
  reply: ModelReply,
  options: Partial<LanguageMindOptions> = {},
  thought: Thought = new Story().thought(),
): Promise<{ thinking: Thinking; server: ModelServer }> {
  const server = await start([reply]);
  return { thinking: await mind(server, options).think(thought), server };
}

export function mind(server: ModelServer, options: Partial<LanguageMindOptions> = {}): Mind {
  return createLanguageMind({
    provider: 'openai-compatible',
    name: 'test-model',
    baseUrl: server.url,
    apiKey: KEY,
    ...options,
  });
}

export async function start(script: readonly ModelReply[]): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

/** Call it after each test. It fails if the model got too many or too few requests. */
export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}
