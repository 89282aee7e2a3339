import type { JSONSchema7, OutputInterface } from 'ai';
import { stringifyJson } from '../../../model/json.ts';
import { type Action, STEP_OPERATION } from '../../../model/task.ts';
import { OWN_OPERATIONS, type OwnOperation, ownOperations } from '../../../run/actions/own-operations.ts';
import type { Thought } from '../../mind.ts';
import { extractActions } from '../../parsing/extract.ts';
import { ActionScanner } from '../../parsing/scanner.ts';
import type { CallNames } from '../../parsing/written-call.ts';
import { hasPlans } from '../instructions.ts';
import type { LanguageMindOptions } from '../options.ts';
import { writePrompt } from '../prompt.ts';
import { hasRefs, namedTools } from '../tool-text.ts';
import type { Dialect } from './dialect.ts';

/** Actions as one JSON object in the text of the answer, with its schema sent along where the provider knows schemas. */
export const jsonDialect: Dialect = {
  write: writePrompt,
  async send(thought, options) {
    const { state } = thought;
    const { mode } = state.settings;
    const tools = mode === 'direct' ? [] : namedTools(thought);
    const own = offeredOperations(thought).map(({ name }) => name);
    const steps = hasRefs(mode) ? [STEP_OPERATION] : [];
    const names = tools?.map(({ name }) => name).sort();
    const operations = names && [...own, ...steps, ...names];
    return { output: outputFor(options, { operations, hasPlans: hasPlans(state) }) };
  },
  listen(thought) {
    const scanner = new ActionScanner({
      onText: thought.onText,
      onAction: (action) => {
        if (isAllowed(action, thought)) thought.onAction?.(action);
      },
    });
    return { text: (piece) => scanner.push(piece) };
  },
  read({ text, calls, finishReason }, thought) {
    const { purpose } = thought;
    const names = callNames(thought);
    const isCut = finishReason === 'length';
    if (text.trim() !== '' || calls.length === 0 || isCut)
      return extractActions(text, { purpose, isCut, names });
    const extraction = extractActions(stringifyJson(calls), { purpose });
    return extraction.ok
      ? { ...extraction, repaired: "calls in the provider's own form taken as the actions" }
      : extraction;
  },
};

/** Above this, the names of all tools would make the schema longer than it is worth. */
const MAX_NAMED_OPERATIONS = 200;

interface Allowed {
  /** Undefined where any name may be called. */
  readonly operations: readonly string[] | undefined;
  /** Whether an action may wait for another, or belong to a step. */
  readonly hasPlans: boolean;
}

/**
 * How the form of the output is told to the provider. `Output.array` of the SDK is not used: it drops the last element
 * of a list that was cut, skips bad ones without a word, and holds back the text while prose stands before the JSON.
 */
function outputFor(options: LanguageMindOptions, allowed: Allowed): OutputInterface<string, string, never> {
  return {
    name: 'actions',
    responseFormat: Promise.resolve(responseFormat(options, allowed)),
    parseCompleteOutput: async ({ text }) => text,
    parsePartialOutput: async ({ text }) => ({ partial: text }),
    createElementStreamTransform: () => undefined,
  };
}

function responseFormat({ provider, supportsStructuredOutputs }: LanguageMindOptions, allowed: Allowed) {
  const speaksOpenAI = provider !== 'anthropic' && provider !== 'google';
  if (supportsStructuredOutputs ?? speaksOpenAI) {
    return { type: 'json' as const, name: 'actions', schema: actionsSchema(allowed) };
  }
  // Anthropic has no JSON mode without a schema.
  return provider === 'anthropic' ? { type: 'text' as const } : { type: 'json' as const };
}

/** The same for every call of a run, whatever its purpose: providers count it to the prefix that they cache. */
function actionsSchema({ operations, hasPlans }: Allowed): JSONSchema7 {
  const operation: JSONSchema7 =
    operations !== undefined && operations.length <= MAX_NAMED_OPERATIONS
      ? { type: 'string', enum: [...operations] }
      : { type: 'string' };
  return {
    type: 'object',
    properties: {
      reasoning: { type: 'string' },
      actions: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          // In the order in which they are to be written: an answer can be shown early once its operation is known.
          properties: {
            id: { type: 'string' },
            operation,
            args: { type: 'object' },
            ...(hasPlans && { after: { type: 'array', items: { type: 'string' } } }),
            expect: { type: ['string', 'object'] },
            timeout: { type: 'number' },
            description: { type: 'string' },
            ...(hasPlans && { step: { type: 'string' } }),
          },
          required: ['id', 'operation', 'args'],
        },
      },
    },
    required: ['reasoning', 'actions'],
  };
}

/** What of our own a model is told that it may do, in every call of a run the same. */
export function offeredOperations({ state }: Pick<Thought, 'state'>): readonly OwnOperation[] {
  const own = ownOperations(state);
  const { settings, planGiven } = state;
  const { mode, planning } = settings;
  if (mode === 'direct') return own.filter(({ name }) => name === 'answer' || name === 'ask');
  // A plan of the user's may have steps whatever the mode.
  if (mode !== 'adaptive' || planGiven) return own;
  const isPlain = planning?.reflection === undefined;
  return own.filter(({ name }) => !PLANNING.has(name) && !(isPlain && name === 'reflect'));
}

/** Corrections are made by `plan.revise` in every mode. */
const PLANNING: ReadonlySet<string> = new Set(['plan.propose', 'plan.update_step']);

/** Where an answer is asked for, tools are not; neither are they in direct mode. */
export function isAllowed({ operation }: Action, thought: Thought): boolean {
  return mayCallTools(thought) || OWN_OPERATIONS.has(operation);
}

export function mayCallTools({ purpose, state }: Thought): boolean {
  return (purpose === 'act' || purpose === 'generate') && state.settings.mode !== 'direct';
}

/** How a model may name what it can call, by which a call that it wrote as text is known. */
export function callNames(
  { tools }: Thought,
  toNative = (name: string) => name.replaceAll('.', '_'),
): CallNames {
  const operations = [...tools.keys(), ...OWN_OPERATIONS];
  return new Set(operations.flatMap((name) => [name, toNative(name), name.slice(name.lastIndexOf('.') + 1)]));
}
