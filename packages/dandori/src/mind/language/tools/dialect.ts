import type { ModelMessage, ToolSet } from 'ai';
import { OWN } from '../../../core/own-operations.ts';
import { STEP_TOOL } from '../../../core/step.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { Tool } from '../../../domain/tool.ts';
import type { Thought } from '../../../ports/mind.ts';
import { readPrompt } from '../../prompts/read.ts';
import { withSection } from '../../prompts/section.ts';
import type { Dialect } from '../dialect.ts';
import { compact, type Form, hasRefs, writeInstructions } from '../instructions.ts';
import { converse, givenTasks, type Wording } from '../prompt.ts';
import { withAbout } from './about.ts';
import { NativeConversation } from './conversation.ts';
import { NativeListener } from './listener.ts';
import { NativeNames } from './names.ts';
import { readCalls } from './read.ts';
import { widened } from './widen.ts';

/** Longer descriptions are refused by some providers. */
const LONGEST_DESCRIPTION = 1000;

/** Actions as native tool calls, ours among them, and the conversation in the provider's own form. */
export const toolsDialect: Dialect = {
  write: (thought, custom) => ({
    instructions: writeInstructions(thought, custom, FORM),
    messages: converse(thought, wordingFor(thought)),
  }),
  async send(thought) {
    const { jsonSchema } = await import('ai');
    const names = namesFor(thought);
    const tools: ToolSet = {};
    const add = (name: string, description: string, schema: JsonObject) => {
      tools[names.toNative(name)] = { description: clip(description), inputSchema: jsonSchema(schema) };
    };
    for (const { name, description, args } of OWN) add(name, description, args);
    for (const tool of callable(thought))
      add(tool.name, `[${tool.effect}] ${tool.description}`, schemaOf(tool, thought));
    return { tools };
  },
  listen: (thought) => new NativeListener(thought, namesFor(thought)),
  read: (spoken, thought) => readCalls(spoken, thought, namesFor(thought)),
};

function namesFor(thought: Thought): NativeNames {
  return new NativeNames([...OWN, ...callable(thought)].map(({ name }) => name));
}

/** In one order, however the servers came up. */
function callable({ state, tools }: Thought): Tool[] {
  if (state.settings.mode === 'direct') return [];
  const sorted = [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return hasRefs(state.settings.mode) ? [STEP_TOOL, ...sorted] : sorted;
}

function schemaOf({ inputSchema }: Tool, { state }: Thought): JsonObject {
  const { $schema: _, ...schema } = inputSchema;
  const open = hasRefs(state.settings.mode) ? widened(schema) : schema;
  return withAbout({ ...open, type: 'object' });
}

function wordingFor(thought: Thought): Wording<ModelMessage> {
  const names = namesFor(thought);
  return {
    open: ({ state }) =>
      new NativeConversation(
        names,
        givenTasks(state).map(({ id }) => id),
      ),
    again: 'Try again: call the tools that are needed, or call `answer`.',
    correction:
      'Make the whole corrected list of calls again, or call `plan_revise` with only what changes; it names the actions of the refused list by their ids.',
  };
}

/** Names, descriptions and input schemas are sent natively; what a call does and returns has no place there. */
const FORM: Form = {
  system: () => withSection(readPrompt('system'), 'Output', readPrompt('output-tools')),
  tools(tools) {
    if (tools.size === 0) return '';
    const sorted = [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    const lines = sorted.map(
      ({ name, effect, outputSchema }) =>
        `- ${name} [${effect}]${outputSchema === undefined ? '' : `: ${compact(outputSchema)}`}`,
    );
    return `# Tools\n\nIn brackets: what a call does to the world. Then: what it returns, where that is known.\n\n${lines.join('\n')}`;
  },
};

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_DESCRIPTION ? line : `${line.slice(0, LONGEST_DESCRIPTION - 1)}…`;
}
