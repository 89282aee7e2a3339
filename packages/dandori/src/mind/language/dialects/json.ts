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

/** Actions as one JSON object in the output text. Its schema is sent if the provider supports schemas. */
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

/** With more tools, listing their names would make the schema too long. */
const MAX_NAMED_OPERATIONS = 200;

interface Allowed {
  /** Undefined if any name may be called. */
  readonly operations: readonly string[] | undefined;
  /** Whether an action may wait for another, or belong to a step. */
  readonly hasPlans: boolean;
}

/**
 * Passes the output format to the provider. The SDK's `Output.array` drops the last element of a cut list,
 * skips invalid elements silently, and holds back text while prose precedes the JSON.
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

/** The same for every call of a run, whatever its purpose, because it is part of the cached prefix. */
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
          // The order in which the model writes them: an answer can be shown early once its operation is
          // known.
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

/** Own operations that the model may use, the same for every call of a run. */
export function offeredOperations({ state }: Pick<Thought, 'state'>): readonly OwnOperation[] {
  const own = ownOperations(state);
  const { settings, planGiven } = state;
  const { mode, planning } = settings;
  if (mode === 'direct') return own.filter(({ name }) => name === 'answer' || name === 'ask');
  // A plan that the user gave may have steps in any mode.
  if (mode !== 'adaptive' || planGiven) return own;
  const isPlain = planning?.reflection === undefined;
  return own.filter(({ name }) => !PLANNING.has(name) && !(isPlain && name === 'reflect'));
}

/** Not `plan.revise`, which makes corrections in every mode. */
const PLANNING: ReadonlySet<string> = new Set(['plan.propose', 'plan.update_step']);

/** Tools may not be called in direct mode or if only an answer is asked for. */
export function isAllowed({ operation }: Action, thought: Thought): boolean {
  return mayCallTools(thought) || OWN_OPERATIONS.has(operation);
}

export function mayCallTools({ purpose, state }: Thought): boolean {
  return (purpose === 'act' || purpose === 'generate') && state.settings.mode !== 'direct';
}

/** All names a model may use for an operation, to recognise calls written as text. */
export function callNames(
  { tools }: Thought,
  toNative = (name: string) => name.replaceAll('.', '_'),
): CallNames {
  const operations = [...tools.keys(), ...OWN_OPERATIONS];
  return new Set(operations.flatMap((name) => [name, toNative(name), name.slice(name.lastIndexOf('.') + 1)]));
}
