import type { Transport } from '@modelcontextprotocol/client';

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
