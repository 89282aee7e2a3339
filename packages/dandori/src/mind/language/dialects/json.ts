import { asObject, isObject, type JsonObject, stringifyJson } from '../../../model/json.ts';
import { type Action, STEP_OPERATION } from '../../../model/task.ts';
import type { Tool } from '../../../model/tool.ts';
import {
  CRITERIA,
  OWN_OPERATIONS,
  type OwnOperation,
  ownOperations,
} from '../../../run/actions/own-operations.ts';
import type { RunState } from '../../../run/state/state.ts';
import { LastMadeFor } from '../../last-made.ts';
import type { Thought } from '../../mind.ts';
import { type Extraction, extractActions } from '../../parsing/extract-actions.ts';
import { ActionScanner } from '../../parsing/scanner.ts';
import type { CallNames } from '../../parsing/written-call.ts';
import { hasOpenLists } from '../instructions.ts';
import { API, type LanguageMindOptions } from '../options.ts';
import { writePrompt } from '../prompt.ts';
import { canAnnounce, namedTools, offerParts } from '../tool-text.ts';
import type { ResponseFormat } from '../wire/wire.ts';
import type { Dialect } from './dialect.ts';
import { NativeNames } from './native-names.ts';
import { ReadLater } from './read-later.ts';

/** Actions as one JSON object in the output text. Its schema is sent if the provider supports schemas. */
export const jsonDialect: Dialect = {
  isProseExpected: false,
  write: writePrompt,
  send(thought, options) {
    const { state } = thought;
    const responseFormat = isClosing(thought)
      ? toFormat(
          options,
          listSchema({ operation: { type: 'string', enum: ['answer'] }, args: closingArgs(state) }),
        )
      : formats.from(state, [options, ...offerParts(thought)], () => formatFor(thought, options));
    return { responseFormat };
  },
  listen(thought, stop) {
    let isComplete = false;
    let scanner: ActionScanner | undefined;
    const scan = (text: string) => {
      scanner ??= new ActionScanner({
        onText: thought.onText,
        onAction: (action) => {
          if (!isComplete && isAllowed(action, thought)) thought.onAction?.(action);
        },
      });
      scanner.push(text);
    };
    const pieces = new ReadLater<string>({
      stop,
      read: (unread) => scan(unread.join('')),
      // The complete output is read for its actions anyway. Only the text of an answer is still told.
      rest(unread) {
        const text = unread.join('');
        if (thought.onText === undefined || (scanner === undefined && !text.includes('answer'))) return;
        isComplete = true;
        scan(text);
      },
    });
    return { text: (piece) => pieces.add(piece), end: () => pieces.end() };
  },
  read({ text, calls, finishReason }, thought) {
    const { purpose } = thought;
    const names = callNames(thought.tools);
    const isCut = finishReason === 'length';
    if (text.trim() !== '' || calls.length === 0 || isCut) {
      const said = withKnownNames(extractActions(text, { purpose, isCut, names }), thought);
      // Words beside native calls are a remark, and no answer.
      const isRemark = said.ok && said.isProse === true && calls.length > 0 && mayCallTools(thought);
      if (!isRemark) return said;
    }
    const extraction = withKnownNames(extractActions(stringifyJson(calls), { purpose }), thought);
    return extraction.ok
      ? { ...extraction, repaired: "calls in the provider's own form taken as the actions" }
      : extraction;
  },
};

/** With more tools, listing their names would make the schema too long. */
const MAX_NAMED_OPERATIONS = 200;

function toFormat(
  { provider, supportsStructuredOutputs }: LanguageMindOptions,
  schema: JsonObject,
): ResponseFormat {
  const { takesSchema, hasJsonMode } = API[provider];
  if (supportsStructuredOutputs ?? takesSchema) return { type: 'json', name: 'actions', schema };
  return { type: hasJsonMode ? 'json' : 'text' };
}

const formats = new LastMadeFor<RunState, ResponseFormat>();
const latest = new LastMadeFor<LanguageMindOptions, ResponseFormat>();

/** The same object as for other runs that may call the same operations: then its JSON need not be written again. */
function formatFor(thought: Omit<Thought, 'signal'>, options: LanguageMindOptions): ResponseFormat {
  const { state } = thought;
  const isOpen = state.settings.mode !== 'direct';
  const tools = isOpen ? namedTools(thought) : [];
  const own = offeredOperations(thought).map(({ name }) => name);
  const steps = hasOpenLists(state) ? [STEP_OPERATION] : [];
  const names = tools?.map(({ name }) => name).sort();
  const operations = names && [...own, ...steps, ...names];
  return latest.from(options, [isOpen, names === undefined, ...(operations ?? [])], () =>
    toFormat(options, listSchema(actionFields(operations), isOpen)),
  );
}

/**
 * The schema of the output. Engines that turn it into a grammar differ: some make every listed property
 * required and allow `{}` alone for an object without properties. So it lists only what every action has, and
 * says where more is allowed.
 */
function listSchema(fields: Record<string, JsonObject>, isOpen = false): JsonObject {
  // The order in which the model writes them: an answer can be shown early once its operation is known.
  const properties = { id: { type: 'string' as const }, ...fields };
  return {
    type: 'object',
    properties: {
      reasoning: { type: 'string' },
      actions: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties,
          required: ['id', 'operation', 'args'],
          ...(isOpen && { additionalProperties: true }),
        },
      },
    },
    required: ['reasoning', 'actions'],
  };
}

/** The same for every call of a run that may call tools, because it is part of the cached prefix. */
function actionFields(operations: readonly string[] | undefined): Record<string, JsonObject> {
  const isShort = operations !== undefined && operations.length <= MAX_NAMED_OPERATIONS;
  return {
    operation: { type: 'string', ...(isShort && { enum: [...operations] }) },
    args: { type: 'object', additionalProperties: true },
  };
}

function closingArgs({ outline, output }: Thought['state']): JsonObject {
  const isJudged = (outline?.successCriteria ?? []).length > 0;
  const properties: Record<string, JsonObject> = {
    text: { type: 'string' },
    achieved: { type: 'boolean' },
    ...(isJudged && { criteria: CRITERIA }),
  };
  const required = Object.keys(properties);
  return { type: 'object', properties: { ...properties, ...(output && { output }) }, required };
}

/** Own operations that the model may use, the same for every call of a run but its closing one. */
export function offeredOperations(
  thought: Pick<Thought, 'state' | 'purpose' | 'tools'>,
): readonly OwnOperation[] {
  const { state } = thought;
  const known = ownOperations(state);
  const own = canAnnounce(thought) ? known : known.filter(({ name }) => name !== 'may');
  if (isClosing(thought)) return own.filter(({ name }) => name === 'answer');
  const { settings, planGiven } = state;
  const { mode, planning } = settings;
  if (mode === 'direct') return own.filter(({ name }) => name === 'answer' || name === 'ask');
  // A plan that the user gave may have steps in any mode.
  if (mode !== 'adaptive' || planGiven) return own;
  const isPlain = planning?.reflection === undefined;
  return own.filter(({ name }) => !PLANNING.has(name) && !(isPlain && name === 'reflect'));
}

/** Without plans, lists are short: a refused one is written again as a whole. */
const PLANNING: ReadonlySet<string> = new Set(['plan.propose', 'plan.revise', 'plan.update_step']);

/** Tools may not be called in direct mode or if only an answer is asked for. */
export function isAllowed({ operation }: Action, thought: Thought): boolean {
  return mayCallTools(thought) || OWN_OPERATIONS.has(operation);
}

export function mayCallTools(thought: Pick<Thought, 'purpose' | 'state'>): boolean {
  return !isClosing(thought) && thought.state.settings.mode !== 'direct';
}

/** Only the answer is asked for. */
function isClosing({ purpose }: Pick<Thought, 'purpose'>): boolean {
  return purpose === 'answer' || purpose === 'conclude';
}

/** Some models write a tool in the form of a native call: `calc_evaluate`, `functions.calc.evaluate`. */
function withKnownNames(extraction: Extraction, { tools }: Thought): Extraction {
  const isKnown = ({ operation }: Action) => tools.has(operation) || OWN_OPERATIONS.has(operation);
  if (!extraction.ok || extraction.actions.every(isKnown)) return extraction;
  const names = new NativeNames([...tools.keys(), ...OWN_OPERATIONS, STEP_OPERATION]);
  const actions = extraction.actions.map((action) =>
    isKnown(action) ? action : { ...action, operation: names.toOperation(action.operation) },
  );
  return { ...extraction, actions };
}

const known = new WeakMap<Thought['tools'], CallNames>();

/** The same for every call of a run, so they are made once. */
function callNames(tools: Thought['tools']): CallNames {
  let names = known.get(tools);
  if (names === undefined) {
    names = namesOfCalls(tools, (name) => name.replaceAll('.', '_'));
    known.set(tools, names);
  }
  return names;
}

/** All names a model may use for an operation, to recognise calls written as text. */
export function namesOfCalls(tools: Thought['tools'], toNative: (name: string) => string): CallNames {
  const operations = [...tools.keys(), ...OWN_OPERATIONS];
  return new Map(
    operations.flatMap((name) => {
      const only = onlyText(tools.get(name));
      return [name, toNative(name), name.slice(name.lastIndexOf('.') + 1)].map((one) => [one, only] as const);
    }),
  );
}

/** The parameter that a text alone stands for: the only one that is needed, or the only one. */
function onlyText(tool: Tool | undefined): string | undefined {
  const { required, properties } = tool?.inputSchema ?? {};
  const parameters = asObject(properties);
  const needed = Array.isArray(required) && required.length > 0 ? required : Object.keys(parameters);
  const [name, ...others] = needed.map(String);
  const parameter = name === undefined || others.length > 0 ? undefined : parameters[name];
  return isObject(parameter) && parameter.type === 'string' ? name : undefined;
}
