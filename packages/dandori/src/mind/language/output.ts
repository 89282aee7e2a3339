import type { JSONSchema7, OutputInterface } from 'ai';
import type { LanguageMindOptions } from './options.ts';

/** Above this, the names of all tools would make the schema longer than it is worth. */
const MAX_NAMED_OPERATIONS = 200;

export interface Allowed {
  /** Undefined where any name may be called. */
  readonly operations: readonly string[] | undefined;
  /** Whether an action may wait for another, or belong to a step. */
  readonly hasPlans: boolean;
}

/**
 * How the form of the output is told to the provider. `Output.array` of the SDK is not used: it drops the last element
 * of a list that was cut, skips bad ones without a word, and holds back the text while prose stands before the JSON.
 */
export function outputFor(
  options: LanguageMindOptions,
  allowed: Allowed,
): OutputInterface<string, string, never> {
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
