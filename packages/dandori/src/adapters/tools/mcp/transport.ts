import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** What a server left behind that says why it is gone. */
interface LastWords {
  readonly ended?: string;
  readonly stderr?: string;
  /** The first line on stdout that was no message. */
  readonly garbage?: string;
  /** How the last answer over HTTP began. */
  readonly body?: string;
}

export interface ServerTransport extends Transport {
  readonly pid?: number | null;
  readonly stderr?: null;
  lastWords(): LastWords;
  kill(): void;
}

/** The request that this message takes back. */
export function cancelledRequest(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
