import type * as z from 'zod';
import {
  type ConversationEvent,
  conversationEnvelopeSchema,
  conversationFactSchema,
} from '../../domain/conversation.ts';
import { DandoriError } from '../../domain/error.ts';
import { type Event, envelopeSchema, factSchema } from '../../domain/event.ts';
import type { ConversationSummary, Entry, RunSummary } from '../../ports/journal.ts';
import { summarise } from './summary.ts';

/** What a journal is about: the shape of its events, and how one is named and listed. */
export interface Form<E extends Entry, Summary> {
  /** The member of the envelope that says to what an event belongs. */
  readonly owner: 'run' | 'conversation';
  /** The type of the first event. */
  readonly beginning: string;
  readonly envelope: z.ZodType<Omit<Entry, 'type'> & Readonly<Record<string, unknown>>>;
  readonly fact: z.ZodType<Pick<Entry, 'type'>>;
  readonly summarise: (id: string, first: E | undefined, last: E | undefined) => Summary;
  readonly notFound: (id: string) => never;
}

export const RUNS: Form<Event, RunSummary> = {
  owner: 'run',
  beginning: 'run_started',
  envelope: envelopeSchema,
  fact: factSchema,
  summarise,
  notFound(run) {
    throw new DandoriError('run-not-found', `There is no run "${run}".`, {
      fix: '`dandori runs` lists the runs.',
    });
  },
};

export const CONVERSATIONS: Form<ConversationEvent, ConversationSummary> = {
  owner: 'conversation',
  beginning: 'conversation_started',
  envelope: conversationEnvelopeSchema,
  fact: conversationFactSchema,
  summarise(conversation, first, last) {
    if (first?.type !== 'conversation_started' || last === undefined)
      return { conversation, title: '', startedAt: 0, lastAt: 0, isDamaged: true };
    const { title, userId } = first.data;
    const owner = userId === undefined ? {} : { userId };
    return { conversation, title, ...owner, startedAt: first.at, lastAt: last.at, isDamaged: false };
  },
  notFound(conversation) {
    throw new DandoriError('conversation-not-found', `There is no conversation "${conversation}".`, {
      fix: '`dandori chat --list` lists the conversations.',
    });
  },
};
