import * as z from 'zod';
import type { Thinking } from '../../mind/index.ts';
import { assertNever } from '../../model/error.ts';
import {
  failure,
  lostCause,
  type Message,
  type Said,
  saidFields,
  saidIn,
  toFailure,
  toMessage,
  type Word,
} from '../../model/failure.ts';
import { isNormal, jsonCopy, jsonObject } from '../../model/json.ts';
import { ambiguity } from '../../model/question.ts';
import type { Action } from '../../model/task.ts';
import { issueText } from '../../model/tool.ts';
import type { CallOutcome, InputRequest } from '../../tools/index.ts';

/** Levels of a result: more than any tool needs, and few enough for recursive code. */
const DEEPEST = 500;

/*
 * What tools and minds give, as the journal stores it. It is normalised before any code uses it, so that a
 * live run and a resumed run see the same value. Values that are normal already are not copied.
 */

export function normalOutcome(outcome: CallOutcome, word: Word): CallOutcome {
  const problem = brokenOutcome(outcome);
  if (problem !== undefined) return brokenCall(problem, word);
  switch (outcome.kind) {
    case 'succeeded':
    case 'ambiguous':
    case 'input_wanted':
      break;
    case 'failed':
      return { ...outcome, failure: inLanguage(outcome.failure, word) };
    case 'lost':
      return inLanguage(outcome, word);
    default:
      return assertNever(outcome);
  }
  try {
    if (outcome.kind === 'succeeded') {
      const result = shallow(outcome.result);
      return Object.is(result, outcome.result) ? outcome : { ...outcome, result };
    }
    return shallow(outcome);
  } catch (error) {
    const said: Said =
      error instanceof Error && !(error instanceof RangeError)
        ? { code: 'not_written', params: { reason: error.message } }
        : { code: 'too_deep', params: { levels: DEEPEST } };
    return { kind: 'failed', failure: toFailure({ kind: 'invalid_result', ...said }, word) };
  }
}

const message = { message: z.string(), ...saidFields };
const request = z.object({
  text: z.string(),
  form: jsonObject.optional(),
  url: z.string().optional(),
  name: z.string().optional(),
});
const outcomeShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('succeeded') }),
  z.object({ kind: z.literal('failed'), failure }),
  z.object({
    kind: z.literal('lost'),
    cause: lostCause,
    ...message,
  }),
  ambiguity.extend({ kind: z.literal('ambiguous') }),
  z.object({ kind: z.literal('input_wanted'), requests: z.array(request), state: z.string().optional() }),
]);

/** A toolbox may be third-party code. A journal that holds what it must not say could not be read again. */
function brokenOutcome(outcome: CallOutcome | undefined): string | undefined {
  // Most calls succeed, and any result can be stored.
  if (outcome?.kind === 'succeeded') return undefined;
  const [issue] = outcomeShape.safeParse(outcome).error?.issues ?? [];
  return issue && issueText({ path: issue.path.map(String), message: issue.message });
}

/** Nothing is known about the call, so it may have taken effect. */
export function brokenCall(reason: string, word: Word): CallOutcome {
  const said = { code: 'call_broke', params: { reason } } as const;
  return { kind: 'lost', cause: 'connection_lost', ...toMessage(said, word) };
}

/** A toolbox says in English what happened to a call. It is worded again in the language of the run. */
function inLanguage<T extends Message>(message: T, word: Word): T {
  const said = saidIn(message);
  return said === undefined ? message : { ...message, message: word(said) };
}

/** Throws a `RangeError` if the value has too many levels. */
function shallow<T>(value: T): T {
  if (isNormal(value, DEEPEST)) return value;
  const normal = normalised(value);
  if (!isNormal(normal, DEEPEST)) throw new RangeError();
  return normal;
}

/** Undefined if the request cannot be journaled. */
export function normalRequest(asked: InputRequest): InputRequest | undefined {
  if (!request.safeParse(asked).success) return undefined;
  try {
    return normalised(asked);
  } catch {
    return undefined;
  }
}

/** Normalises an action to what the journal stores. A timeout stays a number. */
export function normalAction(action: Action): Action {
  const { args, expect } = action;
  if (isNormal(args) && (expect === undefined || isNormal(expect))) return action;
  return { ...action, args: normalised(args), ...(expect !== undefined && { expect: normalised(expect) }) };
}

export function normalThinking(thinking: Thinking): Thinking {
  return thinking.kind === 'decided'
    ? { ...thinking, actions: thinking.actions.map(normalAction) }
    : thinking;
}

function normalised<T>(value: T): T {
  return isNormal(value) ? value : jsonCopy(value);
}
