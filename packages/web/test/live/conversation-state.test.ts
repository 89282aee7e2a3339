import type { ConversationNow, ConversationRunStatus, ConversationUpdate } from 'dandori/client';
import { describe, expect, it } from 'vitest';
import type { Written } from '../../../dandori/src/conversation/state.ts';
import {
  type ShownConversation,
  shownConversation,
  withEarlier,
  withUpdate,
} from '../../src/live/conversation-state.ts';

const said = (id: string, at: number): Written => ({ id, role: 'user', kind: 'said', text: id, at });
const reply = (run: string, at: number): Written => ({
  id: run,
  role: 'agent',
  kind: 'reply',
  text: `the answer of ${run}`,
  run,
  at,
});
const begun: ConversationNow = {
  conversation: 'c1',
  title: 'milk',
  startedAt: 1,
  lastAt: 9,
  seq: 5,
  model: 'm',
  messages: [said('u2', 5)],
  earlier: 'u2',
  undelivered: [reply('r1', 3)],
  plans: [],
  runs: [],
};
const writes = ({ at, ...message }: Written, seq = 6): ConversationUpdate => ({
  kind: 'event',
  event: { v: 1, conversation: 'c1', seq, at, type: 'message_written', data: { message } },
});
const types = (run: string, text: string): ConversationUpdate => ({
  kind: 'live',
  live: { type: 'answer_text', run, text },
});
const stands = (run: string, standing: ConversationRunStatus['standing']): ConversationUpdate => ({
  kind: 'run',
  run: {
    run,
    goal: run,
    message: 'u2',
    outcome: 'open',
    driving: 'driving',
    questions: [],
    ...(standing && { standing }),
  },
});
const after = (...heard: ConversationUpdate[]): ShownConversation =>
  heard.reduce(withUpdate, shownConversation(begun));
const ids = ({ messages }: ShownConversation) => messages.map(({ id }) => id);

describe('a conversation on the page', () => {
  it('shows undelivered messages, however old', () => {
    const shown = shownConversation(begun);
    expect(ids(shown)).toEqual(['r1', 'u2']);
    expect([...shown.undelivered]).toEqual(['r1']);
    expect([...shown.missed]).toEqual(['r1']);
  });

  it('shows a message once, even if the stream repeats it', () => {
    const shown = after(writes(reply('r2', 7)), writes(reply('r2', 7)));
    expect(ids(shown)).toEqual(['r1', 'u2', 'r2']);
    expect([...shown.undelivered]).toEqual(['r1', 'r2']);
    expect(shown.missed.has('r2')).toBe(false);
  });

  it('shows an answer while it is written, then the message instead', () => {
    const writing = after(types('r2', 'It is '), types('r3', 'no'), types('r2', 'blue.'));
    expect(writing.writing.get('r2')).toBe('It is blue.');
    const again: ConversationUpdate = { kind: 'answer', run: 'r2', text: 'It is blue. And' };
    expect(withUpdate(writing, again).writing.get('r2')).toBe('It is blue. And');
    const written = withUpdate(writing, writes(reply('r2', 7)));
    expect([...written.writing.keys()]).toEqual(['r3']);
  });

  it('counts a message as delivered if another tab acknowledged it', () => {
    const delivered: ConversationUpdate = {
      kind: 'event',
      event: {
        v: 1,
        conversation: 'c1',
        seq: 7,
        at: 8,
        type: 'message_delivered',
        data: { message: 'r1' },
      },
    };
    expect(after(delivered).undelivered.size).toBe(0);
  });

  it('drops the progress of calls when the run ends', () => {
    const doing: ConversationUpdate = {
      kind: 'live',
      live: { type: 'task_progress', run: 'r2', task: 't1', message: 'half' },
    };
    const busy = after(stands('r2', 'background'), doing);
    expect(busy.doing.get('r2')).toBe('half');
    expect(withUpdate(busy, { kind: 'driving', run: 'r2', state: 'idle' }).runs.get('r2')?.driving).toBe(
      'idle',
    );
    expect(withUpdate(busy, stands('r2', 'ended')).doing.size).toBe(0);
  });

  it('puts earlier messages first, each once', () => {
    const shown = withEarlier(shownConversation(begun), { messages: [said('u1', 2), reply('r1', 3)] });
    expect(ids(shown)).toEqual(['u1', 'r1', 'u2']);
    expect(shown.earlier).toBeUndefined();
  });
});
