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
 * mind. To add one, define it here and implement it in `tools/own`. `mind/language/tool-text` lists those that
 * the mind is told about.
 */
export const OWN_TOOLS = {
  'result.read': own('result.read', {
    description: 'Reads more of a result that was not shown in full.',
    inputSchema: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'its id' },
        path: { type: 'string', description: 'JMESPath' },
        from: whole('element or character', 0),
        count: { type: 'integer', minimum: 1 },
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
    description: 'The plan as it stands, with the statuses of steps and tasks.',
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
  'attachment.read': own('attachment.read', {
    description:
      'Reads a file that the user attached. Pass it on by ${id.text}, or by ${id.data} (base64) if it is no text.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        mimeType: { type: 'string' },
        bytes: { type: 'integer' },
        text: { type: 'string' },
        data: { type: 'string' },
      },
      required: ['name', 'mimeType', 'bytes'],
    },
  }),
  extract: own('extract', {
    description:
      'Reads one value from text of others, such as a mail or a page, with a model that sees nothing else.',
    inputSchema: {
      type: 'object',
      properties: {
        source: { description: 'the text or value to read' },
        find: { type: 'string', description: 'what to find in it' },
        schema: { type: 'object', description: 'JSON Schema of the value' },
      },
      required: ['source', 'find', 'schema'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
  }),
  'goal.run': {
    ...own('goal.run', {
      description:
        'Gives a part of the goal to a run of its own, which plans, calls tools and answers. Its result is the answer. Use it for a part that needs many steps whose details do not matter here.',
      inputSchema: {
        type: 'object',
        properties: {
          goal: {
            type: 'string',
            minLength: 1,
            description: 'everything it must know; it sees nothing else',
          },
          tools: {
            type: 'array',
            items: { type: 'string' },
            description: 'the tools it may use, such as files.read_text or files.*; without it all',
          },
          model: { type: 'string', description: 'another model, such as a cheaper one' },
          output: { type: 'object', description: 'JSON Schema that the output must fit' },
          limits: {
            type: 'object',
            properties: {
              calls: whole('model calls at most', 1),
              tokens: whole('tokens at most', 1),
              cost: { type: 'number', exclusiveMinimum: 0, description: 'US dollars at most' },
              seconds: { type: 'number', exclusiveMinimum: 0, description: 'time at most' },
            },
            additionalProperties: false,
          },
        },
        required: ['goal'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { run: { type: 'string' }, answer: { type: 'string' }, output: {} },
        required: ['run', 'answer'],
      },
    }),
    // Its run is started once, whatever happens.
    effect: 'idempotent',
  },
} satisfies Record<string, Tool>;

const RUN_ID = { type: 'string', description: 'id of a run of this conversation that has not ended' };

/**
 * What the model of a run can say to the other runs of its conversation. Repeating each is harmless. None
 * counts as a person's word there: see `conversation/tell-run`.
 */
export const RUN_TOOLS = {
  'conversation.read': own('conversation.read', {
    description: 'Reads a message of this conversation that is not shown. Use it by ${id.text}.',
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', description: 'id of the message' } },
      required: ['message'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  }),
  'plan.list': own('plan.list', {
    description:
      'The plans of this conversation by name, their status (draft: waits for the approval of the user), and which one is active.',
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
          answer: { description: 'label of an option, the text, or an object for a form' },
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

/** Whether an operation acts for the user on another run. Each such call needs an approval of its own. */
export function actsForUser(operation: string): boolean {
  return operation === 'run.answer' || operation === 'run.cancel';
}

export type OwnToolName = keyof typeof OWN_TOOLS | keyof typeof RUN_TOOLS;

/** Undefined if none of our tools has this name. Those of conversations have policies of their own. */
export function ownEffect(operation: string): Tool['effect'] | undefined {
  const tools: Readonly<Record<string, Tool>> = OWN_TOOLS;
  return Object.hasOwn(tools, operation) ? tools[operation]?.effect : undefined;
}

export function isOwnTool({ server }: Pick<Tool, 'server'>): boolean {
  return server === OWN_SERVER;
}

/** If a tool of the user has the name of one of ours, the user's tool replaces ours. */
export function withOwnTools(
  tools: ReadonlyMap<string, Tool>,
  isInConversation = false,
): ReadonlyMap<string, Tool> {
  const known = joined[isInConversation ? 'conversation' : 'run'];
  const before = known.get(tools);
  if (before !== undefined) return before;
  const all = new Map<string, Tool>([
    ...Object.entries(OWN_TOOLS),
    ...(isInConversation ? Object.entries(RUN_TOOLS) : []),
    ...tools,
    ...guarded(tools),
  ]);
  known.set(tools, all);
  return all;
}

/** A thousand runs with the same tools share one map, and with it all that is derived from it. */
const joined = {
  run: new WeakMap<ReadonlyMap<string, Tool>, ReadonlyMap<string, Tool>>(),
  conversation: new WeakMap<ReadonlyMap<string, Tool>, ReadonlyMap<string, Tool>>(),
};

/** A tool of the user with the name of ours must not pass for ours where only name and effect are known. */
function guarded(tools: ReadonlyMap<string, Tool>): [string, Tool][] {
  const theirs = tools.get('goal.run');
  const isAlike = theirs !== undefined && theirs.effect === OWN_TOOLS['goal.run'].effect;
  return isAlike && !isOwnTool(theirs) ? [[theirs.name, { ...theirs, effect: 'write' }]] : [];
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
