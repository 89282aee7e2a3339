import { asObject, isObject, type JsonObject } from '../../../model/json.ts';
import { type Action, isStep } from '../../../model/task.ts';
import { OWN_OPERATIONS } from '../../../run/actions/own-operations.ts';
import type { Decision } from '../../../run/state/state.ts';
import { inWrittenOrder, type Made, make, Transcript, unusableOutput } from '../transcript.ts';
import type { AssistantMessage, AssistantPart, ToolMessage, ToolResultPart } from '../wire/wire.ts';
import { highestNumber, type NativeNames } from './native-names.ts';

/** A turn of the model, with the results of its calls. */
interface Exchange {
  readonly said: AssistantMessage;
  readonly calls: readonly Call[];
  /** Its messages, as long as no more results are added. */
  made?: readonly Made<Answer>[] | undefined;
}

interface Call {
  readonly action: Action;
  readonly id: string;
  readonly heard: string[];
}

type Answer = AssistantMessage | ToolMessage;

const ELSEWHERE = 'It is named below.';
const LEFT_OUT = '(Left out: it could not be used.)';

/**
 * The run in the provider's format: calls in assistant messages, results in `tool` messages.
 *
 * V1  Each call has exactly one result, directly after its message. Providers refuse anything else.
 * V2  A call id is made from the number of the decision and the position in it, so the same state gives the
 *     same messages.
 */
export class NativeTranscript extends Transcript<Answer> {
  readonly #names: NativeNames;
  #exchange: Exchange | undefined;
  /** The number of the last call. */
  #number: number;

  /** `number`: that of the last call before the first turn. */
  constructor(names: NativeNames, number: number) {
    super();
    this.#names = names;
    this.#number = number;
  }

  addDecision(decision: Decision): void {
    this.finishTurn();
    const actions = inWrittenOrder(decision);
    const calls = actions.map((action, index) => ({
      action,
      id: `call_${decision.number}_${index + 1}`,
      heard: [],
    }));
    this.#exchange = { said: this.#toSaid(decision, calls), calls };
    if (decision.diagnostics === undefined) this.#number = Math.max(this.#number, highestNumber(actions));
  }

  #toSaid(decision: Decision, calls: readonly Call[]): AssistantMessage {
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
    const call = this.#exchange?.calls.find((one) => one.action === action);
    if (call === undefined) this.addUserText(text);
    else call.heard.push(text);
    if (this.#exchange !== undefined) this.#exchange.made = undefined;
  }

  fork(): NativeTranscript {
    const copy = new NativeTranscript(this.#names, this.#number);
    copy.continueFrom(this);
    const exchange = this.#exchange;
    copy.#exchange = exchange && {
      ...exchange,
      calls: exchange.calls.map((call) => ({ ...call, heard: [...call.heard] })),
    };
    return copy;
  }

  protected override openAnswer(): readonly Made<Answer>[] {
    const exchange = this.#exchange;
    if (exchange === undefined) return [];
    const { said, calls } = exchange;
    exchange.made ??= [
      make(said),
      ...(calls.length === 0
        ? []
        : [make({ role: 'tool', content: calls.map((call) => this.#resultOf(call)) } as const)]),
    ];
    return exchange.made;
  }

  protected override finishTurn(): void {
    super.finishTurn();
    this.#exchange = undefined;
  }

  #resultOf({ action, id, heard }: Call): ToolResultPart {
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
