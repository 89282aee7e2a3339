import type { ConversationNow, ConversationRunStatus, ConversationUpdate, MessagePage } from 'dandori/client';
import { replyId, type Written } from '#dandori/conversation/state.ts';
import { OutdatedPage } from './outdated.ts';

/** A conversation as the page has it. */
export interface ShownConversation {
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

export function shownConversation(now: ConversationNow): ShownConversation {
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
export function caughtUp(shown: ShownConversation, now: ConversationNow): ShownConversation {
  const fresh = shownConversation(now);
  const missed = new Set([...shown.missed, ...fresh.missed]);
  const known = new Set(shown.messages.map(({ id }) => id));
  // There is a gap between the old and the new messages, so the old ones are dropped.
  if (!now.messages.some(({ id }) => known.has(id))) return { ...fresh, missed };
  return { ...fresh, missed, messages: inOrder(shown.messages, fresh.messages), earlier: shown.earlier };
}

export function withEarlier(shown: ShownConversation, { messages, earlier }: MessagePage): ShownConversation {
  return { ...shown, messages: inOrder(messages, shown.messages), earlier };
}

export function withUpdate(shown: ShownConversation, update: ConversationUpdate): ShownConversation {
  switch (update.kind) {
    case 'event':
      return withEvent(shown, update.event);
    case 'run': {
      const { run } = update;
      const runs = new Map([...shown.runs, [run.run, run]]);
      const isOver = run.standing === 'ended' || run.standing === 'waiting';
      return { ...shown, runs, ...(isOver && { doing: without(shown.doing, run.run) }) };
    }
    case 'answer':
      return { ...shown, writing: new Map([...shown.writing, [update.run, update.text]]) };
    case 'live': {
      const { live } = update;
      if (live.type === 'answer_text') {
        const text = (shown.writing.get(live.run) ?? '') + live.text;
        return { ...shown, writing: new Map([...shown.writing, [live.run, text]]) };
      }
      if (live.type !== 'task_progress') return shown;
      return { ...shown, doing: new Map([...shown.doing, [live.run, live.message]]) };
    }
    case 'driving': {
      const known = shown.runs.get(update.run);
      if (known === undefined) return shown;
      return { ...shown, runs: new Map([...shown.runs, [update.run, { ...known, driving: update.state }]]) };
    }
  }
}

function withEvent(
  shown: ShownConversation,
  event: (ConversationUpdate & { kind: 'event' })['event'],
): ShownConversation {
  switch (event.type) {
    case 'message_written': {
      const { message } = event.data;
      const { id, role, run } = message;
      if (shown.messages.some((known) => known.id === id)) return shown;
      return {
        ...shown,
        messages: [...shown.messages, { ...message, at: event.at }],
        ...(role === 'agent' && { undelivered: new Set([...shown.undelivered, id]) }),
        // The message replaces the text that was being written.
        ...(run !== undefined && id === replyId(run) && { writing: without(shown.writing, run) }),
      };
    }
    case 'message_delivered': {
      const undelivered = new Set(shown.undelivered);
      undelivered.delete(event.data.message);
      return { ...shown, undelivered };
    }
    case 'plan_proposed':
    case 'plan_activated': {
      const { run, name } = event.data;
      const isKnown = shown.plans.some((plan) => plan.run === run);
      const plans = isKnown ? shown.plans : [...shown.plans, { run, name, isActive: false }];
      if (event.type === 'plan_proposed') return { ...shown, plans };
      return { ...shown, plans: plans.map((plan) => ({ ...plan, isActive: plan.run === run })) };
    }
    case 'model_chosen':
      return { ...shown, model: event.data.model };
    case 'conversation_started':
    case 'run_begun':
      return shown;
    default:
      throw new OutdatedPage((event satisfies never as { type: string }).type);
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
