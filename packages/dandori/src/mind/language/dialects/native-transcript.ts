import { asObject, isObject, type JsonObject } from '../../../model/json.ts';
import { type Action, isStep } from '../../../model/task.ts';
import { OWN_OPERATIONS } from '../../../run/actions/own-operations.ts';
import type { Decision } from '../../../run/state/state.ts';
import { inWrittenOrder, OPEN_TURNS, shownText, type Transcript, unusableOutput } from '../transcript.ts';
import type { AssistantMessage, AssistantPart, ModelMessage, ToolResultPart } from '../wire/wire.ts';
import { highestNumber, type NativeNames } from './native-names.ts';

/** A turn of the model, with the results of its calls. */
interface Exchange {
  readonly decision: Decision;
  readonly parts: Made['parts'];
  readonly said: AssistantMessage;
  readonly calls: readonly { readonly action: Action; readonly id: string; readonly heard: string[] }[];
}

interface UserTurn {
  readonly paragraphs: string[];
  readonly shows: string[];
}

type Turn = Exchange | UserTurn;

/** The messages that were made of each decision, to repeat them as long as they would be equal. */
export type MadeMessages = WeakMap<Decision, Made>;

interface Made {
  /** What the first message is made from. */
  readonly parts: readonly unknown[];
  readonly messages: readonly [AssistantMessage, ...ModelMessage[]];
}

const ELSEWHERE = 'It is named below.';
const LEFT_OUT = '(Left out: it could not be used.)';

/**
 * The run in the provider's format: calls in assistant messages, results in `tool` messages.
 *
 * V1  Each call has exactly one result, directly after its message. Providers refuse anything else.
 * V2  A call id is made from the number of the decision and the position in it, so the same state gives the
 *     same messages.
 * V3  A turn of the model is made of the same objects in every request, so that it is serialized once. An open turn is
 *     added again for each request, so its messages are looked up by its decision.
 */
export class NativeTranscript implements Transcript<ModelMessage> {
  readonly #names: NativeNames;
  readonly #made: MadeMessages;
  #turns: Turn[] = [];
  #toldOnce = new Set<string>();
  /** The messages of the first turns, which can't change any more, and how many turns they are. */
  #closed: ModelMessage[] = [];
  #closedTurns = 0;
  /** The number of the last call. */
  #number: number;

  constructor(names: NativeNames, givenTasks: Iterable<string>, made: MadeMessages) {
    this.#names = names;
    this.#number = highestNumber(givenTasks);
    this.#made = made;
  }

  addUserText(...paragraphs: string[]): void {
    const last = this.#turns.at(-1);
    if (last !== undefined && 'paragraphs' in last) last.paragraphs.push(...paragraphs);
    else if (paragraphs.length > 0) this.#turns.push({ paragraphs, shows: [] });
  }

  addOnce(paragraph: string): void {
    if (!this.#toldOnce.has(paragraph)) this.addUserText(paragraph);
    this.#toldOnce.add(paragraph);
  }

  addDecision(decision: Decision): void {
    const actions = inWrittenOrder(decision);
    const calls = actions.map((action, index) => ({
      action,
      id: `call_${decision.number}_${index + 1}`,
      heard: [],
    }));
    const parts = [this.#number, ...actions];
    const before = this.#made.get(decision);
    const isKnown = before !== undefined && isEqualList(before.parts, parts);
    const said = isKnown ? before.messages[0] : this.#toSaid(decision, calls);
    if (decision.diagnostics === undefined)
      this.#number = Math.max(this.#number, highestNumber(actions.map(({ id }) => id)));
    this.#turns.push({ decision, parts, said, calls });
  }

  #toSaid(decision: Decision, calls: Exchange['calls']): AssistantMessage {
    const { reasoning } = decision;
    const content: AssistantPart[] = [
      ...(reasoning !== undefined ? [{ type: 'text' as const, text: reasoning }] : []),
      ...calls.map(({ action, id }, index) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: this.#names.toNative(action.operation),
        input: OWN_OPERATIONS.has(action.operation)
          ? action.args
          : writeAbout(action, `t${this.#number + index + 1}`),
      })),
    ];
    const nothing = unusableOutput(decision) ?? LEFT_OUT;
    return { role: 'assistant', content: content.length === 0 ? nothing : content };
  }

  /** The result stands with its call, even if the user's turn has started. */
  addResult(action: Action, text: string): void {
    const last = this.#turns.findLast((turn) => 'calls' in turn);
    const call = last?.calls.find((one) => one.action === action);
    if (call === undefined) this.addUserText(text);
    else call.heard.push(text);
  }

  show(tasks: readonly string[]): void {
    if (tasks.length === 0) return;
    this.addUserText(shownText(tasks));
    const last = this.#turns.at(-1);
    if (last !== undefined && 'shows' in last) last.shows.push(...tasks);
  }

  lastUserText(): string | undefined {
    const last = this.#turns.at(-1);
    return last !== undefined && 'paragraphs' in last ? last.paragraphs.at(-1) : undefined;
  }

  messages(): ModelMessage[] {
    return [...this.#close(), ...this.#openTurns().flatMap((turn) => this.#toMessages(turn))];
  }

  fork(): NativeTranscript {
    const copy = new NativeTranscript(this.#names, [], this.#made);
    copy.#closed = [...this.#close()];
    copy.#closedTurns = this.#closedTurns;
    copy.#number = this.#number;
    copy.#toldOnce = new Set(this.#toldOnce);
    copy.#turns = [...this.#turns.slice(0, this.#closedTurns), ...this.#openTurns().map(copyOf)];
    return copy;
  }

  #openTurns(): readonly Turn[] {
    return this.#turns.slice(this.#closedTurns);
  }

  /** Only new turns are gone through, so that a step of a long run costs as much as one of a short run. */
  #close(): readonly ModelMessage[] {
    const end = Math.max(this.#closedTurns, this.#turns.length - OPEN_TURNS);
    for (const turn of this.#turns.slice(this.#closedTurns, end))
      this.#closed.push(...this.#toMessages(turn));
    this.#closedTurns = end;
    return this.#closed;
  }

  #toMessages(turn: Turn): readonly ModelMessage[] {
    if ('paragraphs' in turn) {
      const { paragraphs, shows } = turn;
      return [
        { role: 'user', content: paragraphs.join('\n\n'), ...(shows.length > 0 && { shows: [...shows] }) },
      ];
    }
    const results = turn.calls.map((call) => this.#resultOf(call));
    const { decision, parts, said } = turn;
    const before = this.#made.get(decision)?.messages;
    if (before?.[0] === said && isRepeated(before, results)) return before;
    const messages = [said, ...(results.length === 0 ? [] : [toolMessage(results)])] as const;
    this.#made.set(decision, { parts, messages });
    return messages;
  }

  #resultOf({ action, id, heard }: Exchange['calls'][number]): ToolResultPart {
    const isNoted = OWN_OPERATIONS.has(action.operation) || isStep(action);
    const nothing = isNoted ? 'Noted.' : `${action.id} has not been run.`;
    return {
      type: 'tool-result',
      toolCallId: id,
      toolName: this.#names.toNative(action.operation),
      output: { type: 'text', value: heard.length === 0 ? nothing : heard.join('\n\n') || ELSEWHERE },
    };
  }
}

function copyOf(turn: Turn): Turn {
  if ('paragraphs' in turn) return { paragraphs: [...turn.paragraphs], shows: [...turn.shows] };
  return { ...turn, calls: turn.calls.map((call) => ({ ...call, heard: [...call.heard] })) };
}

function toolMessage(content: ToolResultPart[]): ModelMessage {
  return { role: 'tool', content };
}

function isEqualList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

/** Whether the messages of a turn tell the same results. */
function isRepeated([, told]: readonly ModelMessage[], results: readonly ToolResultPart[]): boolean {
  if (told?.role !== 'tool') return results.length === 0;
  return results.every(({ output }, index) => told.content[index]?.output.value === output.value);
}

/**
 * An extra argument of every tool for the other fields of an action (`after`, `expect`, …). A native call has
 * no other place for them.
 */
const ABOUT = '_task';

/** The instructions explain it; the schema only has to allow it. */
const SCHEMA: JsonObject = { type: 'object', additionalProperties: true };

/** The schema of a tool with this argument. A tool that already has one of that name keeps its own. */
export function withAbout(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? (schema.properties as JsonObject) : {};
  if (Object.hasOwn(properties, ABOUT)) return schema;
  return { ...schema, properties: { ...properties, [ABOUT]: SCHEMA } };
}

/** The arguments of a call with the other fields of the action. */
function writeAbout(
  { id, args, after, expect, timeoutMs, description, reasoning, step }: Action,
  expectedId: string,
): JsonObject {
  const about: JsonObject = {
    ...(id !== expectedId && { id }),
    ...(after !== undefined && { after }),
    ...(expect !== undefined && { expect }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }),
    ...(description !== undefined && { description }),
    ...(reasoning !== undefined && { reasoning }),
    ...(step !== undefined && { step }),
  };
  return Object.keys(about).length === 0 ? args : { ...args, [ABOUT]: about };
}

/** Separates the fields of an action from its arguments. */
export function readAbout(
  args: unknown,
  schema: JsonObject | undefined,
): { readonly fields: object; readonly args: unknown } {
  const isTheirs = isObject(schema?.properties) && Object.hasOwn(schema.properties, ABOUT);
  if (!isObject(args) || isTheirs || !isObject(args[ABOUT])) return { fields: {}, args };
  const { [ABOUT]: about, ...rest } = args;
  return { fields: asObject(about), args: rest };
}
