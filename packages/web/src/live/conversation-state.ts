import type { ConversationNow, ConversationRunStatus, ConversationUpdate, MessagePage } from 'dandori/client';
import { replyId, type Written } from '#dandori/conversation/state.ts';
import { assertNever } from '#dandori/model/error.ts';

/** A conversation as the page has it. */
export interface Talk {
  readonly title: string;
  readonly model: string;
  /** In order. */
  readonly messages: readonly Written[];
  /** The cursor of the page before them; undefined if there is none. */
  readonly earlier: string | undefined;
  /** Messages of the agent that were not acknowledged. */
  readonly undelivered: ReadonlySet<string>;
  /** Messages that were undelivered when the page was opened. */
  readonly missed: ReadonlySet<string>;
  readonly runs: ReadonlyMap<string, ConversationRunStatus>;
  readonly plans: ConversationNow['plans'];
  /** Final answers that are being written, by run. */
  readonly writing: ReadonlyMap<string, string>;
  /** The last progress message of a call, by run. */
  readonly doing: ReadonlyMap<string, string>;
}

export function talkOf(now: ConversationNow): Talk {
  const waiting = new Set(now.undelivered.map(({ id }) => id));
  return {
    title: now.title,
    model: now.model,
    messages: inOrder(now.undelivered, now.messages),
    earlier: now.earlier,
    undelivered: waiting,
    missed: waiting,
    plans: now.plans,
    runs: new Map(now.runs.map((run) => [run.run, run])),
    writing: new Map(),
    doing: new Map(),
  };
}

/** The conversation after a reconnect. Messages written meanwhile count as missed; earlier pages stay loaded. */
export function caughtUp(talk: Talk, now: ConversationNow): Talk {
  const fresh = talkOf(now);
  const missed = new Set([...talk.missed, ...fresh.missed]);
  const known = new Set(talk.messages.map(({ id }) => id));
  // There is a gap between the old and the new messages, so the old ones are dropped.
  if (!now.messages.some(({ id }) => known.has(id))) return { ...fresh, missed };
  return { ...fresh, missed, messages: inOrder(talk.messages, fresh.messages), earlier: talk.earlier };
}

export function withEarlier(talk: Talk, { messages, earlier }: MessagePage): Talk {
  return { ...talk, messages: inOrder(messages, talk.messages), earlier };
}

export function hear(talk: Talk, talked: ConversationUpdate): Talk {
  switch (talked.kind) {
    case 'event':
      return happened(talk, talked.event);
    case 'run': {
      const { run } = talked;
      const runs = new Map([...talk.runs, [run.run, run]]);
      const isOver = run.standing === 'ended' || run.standing === 'waiting';
      return { ...talk, runs, ...(isOver && { doing: without(talk.doing, run.run) }) };
    }
    case 'answer':
      return { ...talk, writing: new Map([...talk.writing, [talked.run, talked.text]]) };
    case 'live': {
      const { live } = talked;
      if (live.type === 'answer_text') {
        const text = (talk.writing.get(live.run) ?? '') + live.text;
        return { ...talk, writing: new Map([...talk.writing, [live.run, text]]) };
      }
      if (live.type !== 'task_progress') return talk;
      return { ...talk, doing: new Map([...talk.doing, [live.run, live.message]]) };
    }
    case 'driving': {
      const known = talk.runs.get(talked.run);
      if (known === undefined) return talk;
      return { ...talk, runs: new Map([...talk.runs, [talked.run, { ...known, driving: talked.state }]]) };
    }
  }
}

function happened(talk: Talk, event: (ConversationUpdate & { kind: 'event' })['event']): Talk {
  switch (event.type) {
    case 'message_written': {
      const { message } = event.data;
      const { id, role, run } = message;
      if (talk.messages.some((known) => known.id === id)) return talk;
      return {
        ...talk,
        messages: [...talk.messages, { ...message, at: event.at }],
        ...(role === 'agent' && { undelivered: new Set([...talk.undelivered, id]) }),
        // The message replaces the text that was being written.
        ...(run !== undefined && id === replyId(run) && { writing: without(talk.writing, run) }),
      };
    }
    case 'message_delivered': {
      const undelivered = new Set(talk.undelivered);
      undelivered.delete(event.data.message);
      return { ...talk, undelivered };
    }
    case 'plan_proposed':
    case 'plan_activated': {
      const { run, name } = event.data;
      const isKnown = talk.plans.some((plan) => plan.run === run);
      const plans = isKnown ? talk.plans : [...talk.plans, { run, name, isActive: false }];
      if (event.type === 'plan_proposed') return { ...talk, plans };
      return { ...talk, plans: plans.map((plan) => ({ ...plan, isActive: plan.run === run })) };
    }
    case 'model_chosen':
      return { ...talk, model: event.data.model };
    case 'conversation_started':
    case 'run_begun':
      return talk;
    default:
      return assertNever(event);
  }
}

/** Merges two lists; each message is there once. */
function inOrder(first: readonly Written[], then: readonly Written[]): Written[] {
  const all = new Map([...first, ...then].map((message) => [message.id, message]));
  return [...all.values()].sort((one, other) => one.at - other.at);
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
