import type { JSONSchema7, OutputInterface } from 'ai';
import { ownOperations } from '../../core/own-operations.ts';
import type { RunState } from '../../core/state.ts';
import { STEP_OPERATION } from '../../core/step.ts';
import type { Tool } from '../../domain/tool.ts';
import type { LanguageMindOptions } from './options.ts';

/** Above this, the names of all tools would make the schema longer than it is worth. */
const MAX_NAMED_OPERATIONS = 200;

/**
 * How the form of the output is told to the provider. `Output.array` of the SDK is not used: it drops the last element
 * of a list that was cut, skips bad ones without a word, and holds back the text while prose stands before the JSON.
 */
export function outputFor(
  options: LanguageMindOptions,
  state: RunState,
  tools: readonly Tool[] | undefined,
): OutputInterface<string, string, never> {
  return {
    name: 'actions',
    responseFormat: Promise.resolve(responseFormat(options, namesIn(state, tools))),
    parseCompleteOutput: async ({ text }) => text,
    parsePartialOutput: async ({ text }) => ({ partial: text }),
    createElementStreamTransform: () => undefined,
  };
}

function responseFormat(
  { provider, supportsStructuredOutputs }: LanguageMindOptions,
  names: readonly string[] | undefined,
) {
  const speaksOpenAI = provider !== 'anthropic' && provider !== 'google';
  if (supportsStructuredOutputs ?? speaksOpenAI) {
    return { type: 'json' as const, name: 'actions', schema: actionsSchema(names) };
  }
  // Anthropic has no JSON mode without a schema.
  return provider === 'anthropic' ? { type: 'text' as const } : { type: 'json' as const };
}

function namesIn(state: RunState, tools: readonly Tool[] | undefined): string[] | undefined {
  if (tools === undefined || tools.length > MAX_NAMED_OPERATIONS) return undefined;
  const own = ownOperations(state).map(({ name }) => name);
  return [...own, STEP_OPERATION, ...tools.map(({ name }) => name).sort()];
}

/** The same for every call of a run, whatever its purpose: providers count it to the prefix that they cache. */
function actionsSchema(names: readonly string[] | undefined): JSONSchema7 {
  const operation: JSONSchema7 =
    names === undefined ? { type: 'string' } : { type: 'string', enum: [...names] };
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
            after: { type: 'array', items: { type: 'string' } },
            expect: { type: ['string', 'object'] },
            timeout: { type: 'number' },
            description: { type: 'string' },
            step: { type: 'string' },
          },
          required: ['id', 'operation', 'args'],
        },
      },
    },
    required: ['reasoning', 'actions'],
  };
}
