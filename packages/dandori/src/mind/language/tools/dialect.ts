import type { JSONSchema7, ModelMessage, ToolSet } from 'ai';
import { cut } from '../../../core/digest.ts';
import { ownOperations } from '../../../core/own-operations.ts';
import { withTextIntegers } from '../../../core/stand-in.ts';
import type { RunState } from '../../../core/state.ts';
import { STEP_TOOL } from '../../../core/step.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { Tool } from '../../../domain/tool.ts';
import { readPrompt } from '../../prompts/read.ts';
import { withSection } from '../../prompts/section.ts';
import { offeredOperations } from '../allowed.ts';
import type { Dialect } from '../dialect.ts';
import { ABOUT_OUTPUTS, type Form, hasPlans, writeInstructions } from '../instructions.ts';
import { hasRefs, knownTools, tellServers } from '../offered.ts';
import { type Asked, converse, type Wording } from '../prompt.ts';
import { notate } from '../schema-notation.ts';
import { withAbout } from './about.ts';
import { bare } from './bare.ts';
import { NativeConversation } from './conversation.ts';
import { NativeListener } from './listener.ts';
import { NativeNames } from './names.ts';
import { readCalls } from './read.ts';
import { widened } from './widen.ts';

/** Longer descriptions are refused by some providers. */
const LONGEST_DESCRIPTION = 1000;

/** Actions as native tool calls, ours among them, and the conversation in the provider's own form. */
export const toolsDialect: Dialect = {
  write: (thought, custom, window) => ({
    instructions: writeInstructions(thought, custom, FORM),
    messages: converse(thought, wordingFor(thought), window),
  }),
  async send(thought) {
    const { jsonSchema } = await import('ai');
    const names = namesFor(thought);
    const tools: ToolSet = {};
    const add = (name: string, description: string, schema: JsonObject) => {
      // The SDK knows no bigint. As text it has every digit, and a text that is an integer is taken for one.
      const inputSchema = jsonSchema(withTextIntegers(schema) as JSONSchema7);
      tools[names.toNative(name)] = { description: clip(description), inputSchema };
    };
    for (const { name, description, args } of offeredOperations(thought)) add(name, description, args);
    for (const tool of callable(thought))
      add(tool.name, `[${tool.effect}] ${tool.description}`, schemaOf(tool, thought));
    return { tools };
  },
  listen: (thought) => new NativeListener(thought, namesFor(thought)),
  read: (spoken, thought) => readCalls(spoken, thought, namesFor(thought)),
};

function namesFor(thought: Asked): NativeNames {
  return new NativeNames([...ownOperations(thought.state), ...callable(thought)].map(({ name }) => name));
}

/** In one order, however the servers came up. What was found or has come since is added, as it could not be called. */
function callable(thought: Asked): Tool[] {
  const { mode } = thought.state.settings;
  if (mode === 'direct') return [];
  const known = knownTools(thought);
  return hasRefs(mode) ? [STEP_TOOL, ...known] : [...known];
}

function schemaOf({ inputSchema }: Tool, { state }: Asked): JsonObject {
  const schema = bare(inputSchema);
  const open = hasRefs(state.settings.mode) ? widened(schema) : schema;
  const written: JsonObject = { ...open, type: 'object' };
  return hasPlans(state) ? withAbout(written) : written;
}

function wordingFor(thought: Asked): Wording<ModelMessage> {
  const names = namesFor(thought);
  return {
    open: (told) =>
      new NativeConversation(
        names,
        told.map(({ id }) => id),
      ),
    again: 'Try again: call the tools that are needed, or call `answer`.',
    correction:
      'Make the whole corrected list of calls again, or call `plan_revise` with only what changes; it names the actions of the refused list by their ids.',
  };
}

/** Tools are sent natively with all that is known of them; only what they return has no place there. */
const FORM: Form = {
  system: (state) => withSection(readPrompt('system'), 'Output', outputPart(state)),
  plans: () => readPrompt('planning-tools'),
  tools({ tools, servers }, mode) {
    const lines = tools.flatMap(({ name, outputSchema }) =>
      outputSchema === undefined || !hasRefs(mode) ? [] : [`- ${name}: ${notate(outputSchema, 'output')}`],
    );
    const outputs = lines.length === 0 ? [] : [`What they return. ${ABOUT_OUTPUTS}\n\n${lines.join('\n')}`];
    const parts = [...outputs, ...tellServers(servers)];
    return parts.length === 0 ? '' : ['# Tools', ...parts].join('\n\n');
  },
};

function outputPart(state: RunState): string {
  return [readPrompt('output-tools'), ...(hasPlans(state) ? [readPrompt('about-tools')] : [])].join('\n');
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return cut(line, LONGEST_DESCRIPTION - 1);
}
