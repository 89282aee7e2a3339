import { assertNever } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import { messageIn, type Said, toFailure, toMessage } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { Sealing } from '../model/redact.ts';
import { isRepeatable } from '../model/tool.ts';
import { hasOpenCall } from '../run/state/held-calls.ts';
import type { InnerCall } from '../run/state/inner-calls.ts';
import type { TaskState } from '../run/state/state.ts';
import type { CallOutcome } from '../tools/index.ts';
import { wordFor } from '../views/texts/said.ts';
import type { Ledger } from './ledger.ts';
import type { Mail } from './mailbox.ts';
import { sealedResult } from './outcomes.ts';
import type { Results } from './results.ts';

type Asked = Mail & { type: 'inner_call_asked' };
type Ended = Mail & { type: 'inner_call_ended' };

/**
 * Calls that a service makes while its task runs. They have the same guarantees as tasks.
 *
 * N1  A call that may change something is made only after its start is durable. A read is made at once. Its
 *     end is journaled before the start of any call that the service makes because of it.
 * N2  The service sees the outcome of a call that may have changed something only after it is durable. It
 *     gets a copy, with secrets opened.
 * N3  Calls that an earlier attempt finished are answered from the record and not repeated
 *     (`run/state/inner-calls`).
 * N4  After its attempt has ended, a service can make no more calls.
 */
export interface InnerCalls {
  ask(mail: Asked): Promise<void>;
  end(mail: Ended): Promise<void>;
  /** Whether a service waits for the next commit. */
  isAnyWaiting(): boolean;
  /** Call after each commit. */
  deliver(): void;
}

interface InnerCallParts {
  readonly ledger: Ledger;
  readonly sealing: Sealing;
  readonly results: Results;
}

export function createInnerCalls({ ledger, sealing, results }: InnerCallParts): InnerCalls {
  let durableNext: (() => void)[] = [];

  function openTask({ task: id, attempt }: Asked | Ended): TaskState | undefined {
    const task = ledger.state.tasks.get(id);
    return task?.attempts === attempt && hasOpenCall(ledger.state, task) ? task : undefined;
  }

  return {
    async ask(mail) {
      const { call, attempt, task: id, reply } = mail;
      const task = openTask(mail);
      if (task === undefined || ledger.state.cancel !== undefined)
        return reply(notMade('not_called_any_more', call.operation));
      const known = task.innerCalls?.get(call.key);
      const answer = known && (await answerTo(known, attempt));
      if (answer !== undefined) return reply(answer);
      if (call.effect === 'read') return reply('make');
      ledger.record({ type: 'inner_call_started', data: { task: id, attempt, ...sealing.seal(call) } });
      durableNext.push(() => reply('make'));
    },
    async end(mail) {
      const { call, attempt, task: id, ms, reply } = mail;
      const task = openTask(mail);
      const isRead = call.effect === 'read';
      const begun = task?.innerCalls?.get(call.key);
      const isBegun = begun?.attempt === attempt && begun.outcome === undefined;
      if (task === undefined || !(isRead || isBegun)) return reply(mail.outcome);
      const { key, operation, args, effect } = sealing.seal(call);
      const of = { task: id, attempt, key, operation, ...(isRead && { args, effect }) };
      const { data, outcome } = await toFact(mail.outcome);
      ledger.record({ type: 'inner_call_ended', data: { ...of, ...data, ms } });
      if (isRead) reply(outcome);
      else durableNext.push(() => reply(outcome));
    },
    isAnyWaiting: () => durableNext.length > 0,
    deliver() {
      const due = durableNext;
      durableNext = [];
      for (const deliver of due) deliver();
    },
  };

  type How = Omit<FactOf<'inner_call_ended'>['data'], 'task' | 'attempt' | 'key' | 'operation' | 'ms'>;

  async function toFact(outcome: CallOutcome): Promise<{ data: How; outcome: CallOutcome }> {
    switch (outcome.kind) {
      case 'succeeded': {
        const data = await results.store(sealedResult(outcome.result, sealing));
        return { data, outcome: { ...outcome, result: copyOf(outcome.result) } };
      }
      case 'failed':
        return { data: { failure: sealing.seal(outcome.failure) }, outcome };
      case 'lost': {
        const lost = { cause: outcome.cause, ...messageIn(outcome) };
        return { data: { lost: sealing.seal(lost) }, outcome };
      }
      case 'ambiguous': {
        const { kind: _, options, ...rest } = outcome;
        return { data: { ambiguous: sealing.seal({ ...rest, options: [...options] }) }, outcome };
      }
      case 'input_wanted': {
        const failure = toFailure({ kind: 'tool_error', code: 'asks_for_nothing' }, wordFor(ledger.state));
        return { data: { failure }, outcome: { kind: 'failed', failure } };
      }
      default:
        return assertNever(outcome);
    }
  }

  /** The recorded outcome of the call with this key; undefined if the call must be made. */
  async function answerTo(known: InnerCall, attempt: number): Promise<CallOutcome | undefined> {
    const { outcome, effect, operation } = known;
    const isEarlier = known.attempt < attempt;
    if (outcome === undefined) {
      if (isEarlier && (isRepeatable(effect) || known.isEntered)) return undefined;
      if (!isEarlier) return notMade('under_way', operation);
      const said = { code: 'under_way', params: { operation } } as const;
      return { kind: 'lost', cause: 'connection_lost', ...toMessage(said, wordFor(ledger.state)) };
    }
    switch (outcome.kind) {
      case 'succeeded': {
        const { result } = outcome;
        const value = sealing.open('value' in result ? result.value : await results.read(result.blob));
        if (value !== undefined) return { kind: 'succeeded', result: copyOf(value) };
        // A secret in it is no longer configured. Only a read can be made again.
        if (effect === 'read') return undefined;
        const cause = { kind: 'invalid_result', code: 'secret_gone' } as const;
        return { kind: 'failed', failure: toFailure(cause, wordFor(ledger.state)) };
      }
      case 'failed':
        return isEarlier ? { kind: 'failed', failure: reopened(outcome.failure) } : undefined;
      case 'lost':
        return isEarlier || !isRepeatable(effect) ? { kind: 'lost', ...reopened(outcome.lost) } : undefined;
      case 'ambiguous':
        return isEarlier ? { kind: 'ambiguous', ...reopened(outcome.ambiguous) } : undefined;
      default:
        return assertNever(outcome);
    }
  }

  function notMade(code: Said['code'], operation: string): CallOutcome {
    const cause = { kind: 'cancelled', code, params: { operation } } as const;
    return { kind: 'failed', failure: toFailure(cause, wordFor(ledger.state)) };
  }

  /** The result as the service saw it, with the secrets that are still configured. */
  function reopened<T>(recorded: T): T {
    return sealing.open(recorded) ?? recorded;
  }
}

function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyOf(item)]));
}
