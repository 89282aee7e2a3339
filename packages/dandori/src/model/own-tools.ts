import type { Json, JsonObject } from './json.ts';
import type { Task } from './task.ts';
import type { Tool } from './tool.ts';

/** No server can have this name, so that a limit or a policy of a server never affects our own tools. */
export const OWN_SERVER = '(own)';

/** The maximum number of tools that one search returns. */
export const MOST_FOUND = 20;

const whole = (description: string, least: number): JsonObject => ({
  type: 'integer',
  minimum: least,
  description,
});

/**
 * Our own operations that have a result. They are tasks like any other: compiled, journaled, shown to the
 * mind. To add one, define it here and implement it in `tools/own`. `mind/language/offered` lists those that
 * the mind is told about.
 */
export const OWN_TOOLS = {
  'result.read': own('result.read', {
    description:
      'Reads more of a result of which only the beginning was shown, or nothing: of a list the elements, of a text the characters from `from` on.',
    inputSchema: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'id of the action' },
        path: { type: 'string', description: 'JMESPath into it; without it the whole' },
        from: whole('position of the first, from 0', 0),
        count: whole('how many; without it as many as fit', 1),
      },
      required: ['task'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        value: { description: 'what was read' },
        total: { type: 'integer', description: 'length of the whole list or text' },
        next: { type: 'integer', description: '`from` for the next part; absent at the end' },
        shape: { type: 'string', description: 'instead of a value that is too large' },
      },
    },
  }),
  'plan.get': own('plan.get', {
    description:
      'The plan as it stands: objective, criteria, steps and tasks with their statuses, revisions.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  }),
  'tool.search': own('tool.search', {
    description: 'Finds tools that are not described here, by words for what they do.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'what the tool should do, or a part of its name' },
        limit: { ...whole('how many at most; 5 without it', 1), maximum: MOST_FOUND },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              description: { type: 'string' },
              effect: { type: 'string' },
              inputSchema: { type: 'object' },
              outputSchema: { type: 'object' },
            },
            required: ['name', 'description', 'effect', 'inputSchema'],
          },
        },
        matches: { type: 'integer', description: 'how many fit at all' },
      },
      required: ['tools', 'matches'],
    },
  }),
  extract: own('extract', {
    description:
      'Reads one value from text of others, such as a mail or a page, before it is used: a model call of its own that sees only `source`. Use it by ${id.value}.',
    inputSchema: {
      type: 'object',
      properties: {
        source: { description: 'the text or value to read, by Ref: ${t1.body}' },
        find: { type: 'string', description: 'what to find in it' },
        schema: { type: 'object', description: 'JSON Schema of the value' },
      },
      required: ['source', 'find', 'schema'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
  }),
} satisfies Record<string, Tool>;

const RUN_ID = { type: 'string', description: 'id of a run of this conversation that has not ended' };

/**
 * What the model of a run can say to the other runs of its conversation. Repeating each is harmless. None
 * counts as a person's word there: see `conversation/tell-run`.
 */
export const RUN_TOOLS = {
  'plan.list': own('plan.list', {
    description: 'The plans of this conversation by name, and which one is active.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  }),
  'plan.activate': {
    ...own('plan.activate', {
      description: 'Makes a plan of this conversation the active one, where the user turns to it.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'name of the plan' } },
        required: ['name'],
        additionalProperties: false,
      },
    }),
    effect: 'idempotent',
  },
  'run.tell': {
    ...own('run.tell', {
      description:
        'Passes words on to another run of this conversation, as a note for its next decision. It answers no question and approves nothing: only the user can, with a message of their own.',
      inputSchema: {
        type: 'object',
        properties: { run: RUN_ID, text: { type: 'string', description: 'what the user said' } },
        required: ['run', 'text'],
        additionalProperties: false,
      },
    }),
    effect: 'idempotent',
  },
  'run.answer': {
    ...own('run.answer', {
      description:
        'Answers a question of another run with what the message of the user says: an option by its label, or the fields of its form. It is bound to that message and shown to the user. Where the message does not name the answer, the user is asked first. It approves nothing: only a yes of the user does.',
      inputSchema: {
        type: 'object',
        properties: {
          run: RUN_ID,
          question: { type: 'string', description: 'id of the question, such as q1' },
          answer: { description: 'label or value of an option, the text, or an object for a form' },
          declined: { type: 'boolean', description: 'true where the user does not want to answer' },
        },
        required: ['run', 'question'],
        additionalProperties: false,
      },
    }),
    effect: 'idempotent',
  },
  'run.cancel': {
    ...own('run.cancel', {
      description:
        'Stops another run of this conversation, because the user wants it. Where anything but the message of the user led to it, the user is asked first.',
      inputSchema: {
        type: 'object',
        properties: { run: RUN_ID, reason: { type: 'string' } },
        required: ['run', 'reason'],
        additionalProperties: false,
      },
    }),
    effect: 'idempotent',
  },
} satisfies Record<string, Tool>;

export type OwnToolName = keyof typeof OWN_TOOLS | keyof typeof RUN_TOOLS;

export function isOwnTool({ server }: Pick<Tool, 'server'>): boolean {
  return server === OWN_SERVER;
}

/** If a tool of the user has the name of one of ours, the user's tool replaces ours. */
export function withOwnTools(
  tools: ReadonlyMap<string, Tool>,
  isInConversation = false,
): ReadonlyMap<string, Tool> {
  return new Map<string, Tool>([
    ...Object.entries(OWN_TOOLS),
    ...(isInConversation ? Object.entries(RUN_TOOLS) : []),
    ...tools,
  ]);
}

/** Undefined if the name is not ours, or if a tool of the user replaces ours. */
export function ownToolName(operation: string, tools: ReadonlyMap<string, Tool>): OwnToolName | undefined {
  const tool = tools.get(operation);
  return tool !== undefined && isOwnTool(tool) ? (operation as OwnToolName) : undefined;
}

/** The task whose result this one reads without a Ref, and so must wait for. */
export function readsResultOf(
  { operation, args }: Task,
  tools: ReadonlyMap<string, Tool>,
): string | undefined {
  if (operation !== 'result.read' || tools.get(operation) !== OWN_TOOLS['result.read']) return undefined;
  const target: Json | undefined = args.task;
  return typeof target === 'string' && !target.includes('${') ? target : undefined;
}

function own(
  name: string,
  { description, inputSchema, outputSchema }: Pick<Tool, 'description' | 'inputSchema' | 'outputSchema'>,
): Tool {
  return {
    name,
    server: OWN_SERVER,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    effect: 'read',
    // Its result may contain the output of any tool.
    trusted: false,
  };
}
