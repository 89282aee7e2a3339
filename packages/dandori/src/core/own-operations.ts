import type { JsonObject } from '../domain/json.ts';

/** An operation that is no tool: the engine itself carries it out. */
export interface OwnOperation {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly args: JsonObject;
}

const ACTIONS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      operation: { type: 'string' },
      args: { type: 'object' },
      after: { type: 'array', items: { type: 'string' } },
    },
    required: ['id', 'operation', 'args'],
  },
};

/** All of them, in the order in which a model is told of them. */
export const OWN: readonly OwnOperation[] = [
  {
    name: 'answer',
    description:
      'Ends the work. `text` is the full reply to the user; Markdown is fine. Set `achieved` to false if the goal was not reached, and say why in `text`.',
    args: {
      type: 'object',
      properties: { text: { type: 'string' }, achieved: { type: 'boolean' } },
      required: ['text'],
    },
  },
  {
    name: 'ask',
    description:
      'Asks the user. Only where you cannot go on without the user: something is missing that no tool can tell, or there are several equally good meanings. `options` can be left out.',
    args: {
      type: 'object',
      properties: { question: { type: 'string' }, options: { type: 'array', items: { type: 'string' } } },
      required: ['question'],
    },
  },
  {
    name: 'plan.revise',
    description:
      'Corrects a list of actions that was refused, by what changes alone: actions in place of those with the same id, ids to take away, actions to add. The others stay as they were.',
    args: {
      type: 'object',
      properties: {
        replace: ACTIONS,
        remove: { type: 'array', items: { type: 'string' } },
        add: ACTIONS,
      },
    },
  },
];

/** Their names. Everything else is a tool. */
export const OWN_OPERATIONS: ReadonlySet<string> = new Set(OWN.map(({ name }) => name));
