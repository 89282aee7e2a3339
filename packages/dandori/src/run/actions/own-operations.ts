import { reflection } from '../../model/decision.ts';
import { asObject, type JsonObject } from '../../model/json.ts';
import type { RunState } from '../state/state.ts';

/** An operation that is not a tool: the engine itself performs it. */
export interface OwnOperation {
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly args: JsonObject;
}

/** Also of ids. */
const TEXTS = { type: 'array', items: { type: 'string' } };

/** Without `additionalProperties`, engines with grammars allow only `{}`. */
const ANY_OBJECT = { type: 'object', additionalProperties: true };

/** A list of actions, steps or judgements. The instructions describe their form once. */
const OBJECTS = { type: 'array', items: ANY_OBJECT };

/** The success criteria of the plan, judged in their order. */
export const CRITERIA = {
  type: 'array',
  items: {
    type: 'object',
    properties: { met: { type: 'boolean' }, because: { type: 'string' } },
    required: ['met', 'because'],
  },
};

/** All own operations, in the order in which the model sees them. */
const OWN: readonly OwnOperation[] = [
  {
    name: 'answer',
    description:
      'Ends the work with the full reply to the user. Goal not reached: `achieved` is false and `text` says why.',
    args: {
      type: 'object',
      properties: { text: { type: 'string' }, achieved: { type: 'boolean' } },
      required: ['text'],
    },
  },
  {
    name: 'ask',
    description: 'Asks the user what no tool can tell. `form`: a JSON Schema, for several values.',
    args: {
      type: 'object',
      properties: {
        question: { type: 'string' },
        options: { type: 'array', items: { type: 'string' } },
        form: ANY_OBJECT,
      },
      required: ['question'],
    },
  },
  {
    name: 'reflect',
    description: 'Looks back, where you were asked to.',
    args: {
      type: 'object',
      properties: {
        status: { type: 'string', enum: reflection.shape.status.options },
        evaluation: { type: 'string' },
        revision_needed: { type: 'boolean' },
      },
    },
  },
  {
    name: 'plan.propose',
    description: 'Proposes a plan. Leave out what adds nothing.',
    args: {
      type: 'object',
      properties: {
        objective: { type: 'string' },
        success_criteria: TEXTS,
        constraints: TEXTS,
        steps: OBJECTS,
      },
    },
  },
  {
    name: 'plan.revise',
    description: 'Changes what is left of a plan, or corrects a refused list. What it does not name stays.',
    args: {
      type: 'object',
      properties: { reason: { type: 'string' }, replace: OBJECTS, remove: TEXTS, add: OBJECTS, order: TEXTS },
    },
  },
  {
    name: 'plan.update_step',
    description: 'A step needs no actions, or cannot be done.',
    args: {
      type: 'object',
      properties: {
        step: { type: 'string' },
        status: { type: 'string', enum: ['completed', 'failed'] },
        note: { type: 'string' },
      },
      required: ['step', 'status'],
    },
  },
];

/** `goal`: what the user would say to have it done. */
const NEXT = {
  type: 'object',
  properties: { text: { type: 'string' }, goal: { type: 'string' } },
  required: ['text'],
};

/** Only a run that guards against orders in data knows permissions, and only where calls are decided later. */
const MAY: OwnOperation = {
  name: 'may',
  description:
    'With your first actions: calls that change something and that you will need later, so that the user need not be asked. `calls`: [{"operation", "args"}]; an argument is its value, or {"from": the tool whose result has it, "path": the field}. For a text that you will make from results, announce `extract` too, and take the text {"from": "extract", "path": "value"}.',
  args: {
    type: 'object',
    properties: { calls: OBJECTS },
    required: ['calls'],
  },
};

/** Only a run of a conversation reports to a user. */
const REPORT: OwnOperation = {
  name: 'report',
  description:
    'Tells the user how a step went, where you were asked to. Other actions say what to do next. `text`: how it stands, how many actions succeeded and failed, why, and what comes next.',
  args: {
    type: 'object',
    properties: { step: { type: 'string' }, text: { type: 'string' }, next: NEXT },
    required: ['step', 'text'],
  },
};

/** Only a run that can have a plan has criteria to judge. */
function withCriteria(operation: OwnOperation): OwnOperation {
  if (operation.name !== 'answer') return operation;
  return withArgument(operation, { criteria: OBJECTS }, '`criteria`: those of the plan, in order.');
}

/** Only where questions expire. */
function withDefault(operation: OwnOperation): OwnOperation {
  if (operation.name !== 'ask') return operation;
  const fallback = { type: ['string', 'number', 'boolean'] };
  return withArgument(operation, { default: fallback }, '`default` is used if there is no answer.');
}

/** In a conversation, a plan has a name, and the answer may suggest what to do next. */
function inConversation(operation: OwnOperation): OwnOperation {
  switch (operation.name) {
    case 'answer':
      return withArgument(operation, { next: NEXT }, '`next`: what you recommend to do then, if anything.');
    case 'plan.propose':
      return withArgument(operation, { name: { type: 'string' } }, '`name`: a short name for it.');
    default:
      return operation;
  }
}

function withOutput(operation: OwnOperation, output: JsonObject): OwnOperation {
  if (operation.name !== 'answer') return operation;
  return withArgument(
    operation,
    { output },
    '`output`: the result as a value that fits its schema; required.',
  );
}

function withArgument(operation: OwnOperation, more: JsonObject, about: string): OwnOperation {
  const { args, description } = operation;
  const properties = { ...asObject(args.properties), ...more };
  return { ...operation, description: `${description} ${about}`, args: { ...args, properties } };
}

export function ownOperations({
  conversation,
  output,
  planGiven,
  settings: { mode, trust, questions },
}: Pick<RunState, 'conversation' | 'output' | 'planGiven' | 'settings'>): readonly OwnOperation[] {
  const isGuarded = trust !== undefined && trust.policy !== 'observe';
  const hasPlans = planGiven || (mode !== 'adaptive' && mode !== 'direct');
  const changes = [
    ...(hasPlans ? [withCriteria] : []),
    ...(questions?.expireAfter === undefined ? [] : [withDefault]),
    ...(output === undefined ? [] : [(operation: OwnOperation) => withOutput(operation, output)]),
    ...(conversation === undefined ? [] : [inConversation]),
  ];
  const own = OWN.map((operation) => changes.reduce((changed, change) => change(changed), operation));
  const canAnnounce = isGuarded && mode !== 'planned' && mode !== 'direct';
  return [...own, ...(canAnnounce ? [MAY] : []), ...(conversation === undefined ? [] : [REPORT])];
}

/** The names of the own operations. Every other operation is a tool. */
export const OWN_OPERATIONS: ReadonlySet<string> = new Set([...OWN, MAY, REPORT].map(({ name }) => name));
