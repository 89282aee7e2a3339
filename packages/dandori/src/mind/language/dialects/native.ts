import { withTextIntegers } from '../../../model/json/huge-ints.ts';
import { roundedIn } from '../../../model/json/numbers.ts';
import { isObject, type Json, type JsonObject, stringifyJson } from '../../../model/json.ts';
import { type Action, STEP_TOOL } from '../../../model/task.ts';
import { clip } from '../../../model/text.ts';
import type { Tool } from '../../../model/tool.ts';
import { OWN_OPERATIONS, ownOperations } from '../../../run/actions/own-operations.ts';
import type { RunState } from '../../../run/state/state.ts';
import { LastMadeFor } from '../../last-made.ts';
import type { Thought } from '../../mind.ts';
import { type ReadAction, readAction } from '../../parsing/action.ts';
import { type Extraction, extractActions, textWithoutThoughts } from '../../parsing/extract-actions.ts';
import { isTooDeep, readJson, TOO_DEEP } from '../../parsing/lenient-json.ts';
import { ActionScanner } from '../../parsing/scanner.ts';
import { JsonWalker } from '../../parsing/walker.ts';
import { holdsCall, withoutCode } from '../../parsing/written-call.ts';
import { readPrompt, withSection } from '../../prompts/read.ts';
import type { ModelOutput, NativeCall } from '../call.ts';
import { autoPlans, type Form, hasOpenLists, hasPlans, writeInstructions } from '../instructions.ts';
import { type PromptInput, type Wording, writeTurns } from '../prompt.ts';
import { type Described, hasRefs, knownTools, notate, offerParts, tellServers } from '../tool-text.ts';
import { atMostTokens } from '../usage.ts';
import type { AssistantMessage, NativeTool, ToolMessage } from '../wire/wire.ts';
import type { Dialect } from './dialect.ts';
import { isAllowed, mayCallTools, namesOfCalls, offeredOperations } from './json.ts';
import { highestNumber, NativeNames, nextNumber } from './native-names.ts';
import { acceptRefs, trimSchema } from './native-schema.ts';
import { NativeTranscript, readAbout, withAbout } from './native-transcript.ts';
import { ReadLater } from './read-later.ts';
import { isWrapper, unwrapped } from './wrapped-calls.ts';

/** Some providers refuse longer descriptions. */
const LONGEST_DESCRIPTION = 1000;

/** Actions as native tool calls, including own operations, and messages in the provider's format. */
export const toolsDialect: Dialect = {
  isProseExpected: true,
  write(thought, custom, window) {
    const { messages, atMost } = writeTurns(thought, wordingFor(thought), window);
    // Tools count as they are described to other models, because the window is the same in every dialect.
    const described = atMostTokens(writeInstructions(thought, custom));
    return {
      instructions: writeInstructions(thought, custom, FORM),
      messages,
      atMost: atMost + described,
    };
  },
  send: (thought) => ({ tools: nativeOf(thought).tools }),
  listen(thought, stop) {
    const listener = new NativeListener(thought, nativeOf(thought).names);
    // Hearing of an action may make the caller stop the call.
    const tellAll = (unread: readonly (() => void)[]) => {
      for (const tell of unread) if (!stop.isStopped) tell();
    };
    const parts = new ReadLater<() => void>({
      stop,
      read: tellAll,
      rest(unread) {
        listener.complete();
        tellAll(unread);
      },
    });
    return {
      text: (piece) => parts.add(() => listener.text(piece)),
      callStarted: (id, name) => parts.add(() => listener.callStarted(id, name)),
      callPiece: (id, piece) => parts.add(() => listener.callPiece(id, piece)),
      call: (call) => parts.add(() => listener.call(call)),
      end: () => parts.end(),
    };
  },
  read: (output, thought) => readCalls(output, thought, nativeOf(thought).names),
};

/** What a run calls its tools. */
interface Native {
  readonly names: NativeNames;
  readonly tools: readonly NativeTool[];
}

const made = new LastMadeFor<RunState, Native>();

function nativeOf(thought: PromptInput): Native {
  return made.from(thought.state, [thought.purpose, ...offerParts(thought)], () => {
    const callable = callableIn(thought);
    const operations = [...ownOperations(thought.state), ...callable].map(({ name }) => name);
    const names = allNames.from(thought.tools, operations, () => new NativeNames(operations));
    return { names, tools: toolsFor(thought, callable, names) };
  });
}

/** By the tools of a run. Runs that know the same tools share their names and their list. */
const allNames = new LastMadeFor<Thought['tools'], NativeNames>();
const lists = new LastMadeFor<Thought['tools'], readonly NativeTool[]>();

function toolsFor(
  thought: PromptInput,
  callable: readonly Tool[],
  names: NativeNames,
): readonly NativeTool[] {
  const { settings, planGiven, output, conversation } = thought.state;
  const own = offeredOperations(thought);
  const others = mayCallTools(thought) ? callable : [];
  const toTool = (name: string, description: string, schema: JsonObject): NativeTool => ({
    name: names.toNative(name),
    description: oneLine(description),
    // Some providers can't serialize a bigint. As text it keeps every digit, and such a text is read as an integer.
    inputSchema: withTextIntegers(schema) as JsonObject,
  });
  // What `ownOperations` reads, because it describes the same operations by other objects each time.
  const about = [settings, planGiven, output, conversation === undefined, ...own.map(({ name }) => name)];
  return lists.from(thought.tools, [names, ...about, ...others], () => [
    ...own.map(({ name, description, args }) => toTool(name, description, args)),
    ...others.map((tool) => toTool(tool.name, described(tool), schemaOf(tool, thought))),
  ]);
}

/**
 * In a fixed order, whichever server started first. Tools found or announced later are added, otherwise they
 * could not be called.
 */
function callableIn(thought: PromptInput): Tool[] {
  if (thought.state.settings.mode === 'direct') return [];
  const known = knownTools(thought);
  return hasOpenLists(thought.state) ? [STEP_TOOL, ...known] : [...known];
}

function schemaOf({ inputSchema }: Tool, { state }: PromptInput): JsonObject {
  const schema = trimSchema(inputSchema);
  const open = hasRefs(state.settings.mode) ? acceptRefs(schema) : schema;
  const written: JsonObject = { ...open, type: 'object' };
  return hasPlans(state) ? withAbout(written) : written;
}

const kept: Wording<AssistantMessage | ToolMessage>['kept'] = new WeakMap();

function wordingFor(thought: PromptInput): Wording<AssistantMessage | ToolMessage> {
  const { names } = nativeOf(thought);
  return {
    kept,
    key: names.key,
    open: (told) => new NativeTranscript(names, highestNumber(told)),
    again: 'Try again: call the tools that are needed, or call `answer`.',
    correction: hasPlans(thought.state)
      ? 'Make the whole corrected list of calls again, counted from the same id, or call `plan_revise` with only what changes; it names the actions of the refused list by their ids.'
      : 'Make the whole corrected list of calls again.',
    ...(thought.state.settings.mode === 'auto' && { planMade: 'plan-made-auto-tools' }),
  };
}

/** Tools are sent natively, except their output schemas, which native tools don't have. */
const FORM: Form = {
  written: new LastMadeFor(),
  system: (state, described) => withSection(readPrompt('system'), 'Output', outputPart(state, described)),
  plans: (state) =>
    state.settings.mode === 'auto' ? autoPlans('planning-auto-tools', state) : readPrompt('planning-tools'),
  // The operation is a tool, and describes itself.
  announcing: () => '',
  tools({ tools, servers }, mode) {
    const lines = tools.flatMap(({ name, outputSchema }) =>
      outputSchema === undefined || !hasRefs(mode) ? [] : [`- ${name}: ${notate(outputSchema, 'output')}`],
    );
    const outputs = lines.length === 0 ? [] : [`What they return:\n\n${lines.join('\n')}`];
    const parts = [...outputs, ...tellServers(servers)];
    return parts.length === 0 ? '' : ['# Tools', ...parts].join('\n\n');
  },
};

function outputPart(state: RunState, { tools, servers }: Described): string {
  // With a search, a tool that changes something may be found later.
  const mayChange = servers !== undefined || tools.some(({ effect }) => effect !== 'read');
  const fields = state.settings.mode === 'auto' ? 'task-fields-auto-tools' : 'task-fields-tools';
  return [
    readPrompt('output-tools'),
    ...(mayChange ? [ABOUT_CHANGES] : []),
    ...(hasPlans(state) ? [readPrompt('about-tools'), readPrompt(fields)] : []),
  ].join('\n');
}

/** Left out if all tools only read, as in many runs. */
const ABOUT_CHANGES = '- In brackets before a description: what a call changes; the others only read.';

function described({ effect, description }: Tool): string {
  return effect === 'read' ? description : `[${effect}] ${description}`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return clip(line, LONGEST_DESCRIPTION - 1);
}

/** The actions in a model's calls. Without a call, its text is the answer, or actions written as text. */
function readCalls(
  { text, calls, finishReason }: ModelOutput,
  thought: Thought,
  names: NativeNames,
): Extraction {
  // The last calls may be missing, and half a plan is never used.
  if (finishReason === 'length') return extractActions(text.trim() === '' ? '…' : text, { isCut: true });
  if (calls.length === 0) return readText({ text, finishReason }, thought, names);
  const actions: Action[] = [];
  for (const [index, call] of calls.flatMap((call) => unwrapped(call, thought.tools)).entries()) {
    const read = readCall(call, index, { thought, names });
    if (!read.ok) return read;
    actions.push(read.action);
  }
  const reasoning = text.trim();
  return { ok: true, actions, ...(reasoning !== '' && { reasoning }) };
}

function readCall(
  { name, arguments: given }: NativeCall,
  index: number,
  { thought, names }: { thought: Thought; names: NativeNames },
): ReadAction {
  const operation = names.toOperation(name);
  const parsed = typeof given === 'string' && given.trim() !== '' ? readJson(given) : undefined;
  if (parsed?.ok === false && !OWN_OPERATIONS.has(operation))
    return {
      ok: false,
      reason: `the arguments of call ${index + 1} (${operation}) are broken: ${parsed.problem}`,
    };
  const value = parsed?.ok === true ? parsed.value : given;
  if (isTooDeep(value)) return { ok: false, reason: TOO_DEEP };
  const rounded = parsed === undefined ? roundedIn(value) : undefined;
  if (rounded !== undefined)
    return {
      ok: false,
      reason: `${rounded} in call ${index + 1} (${operation}) may not be the number that was meant. Write it as text, in quotes`,
    };
  const { fields, args } = readAbout(value, thought.tools.get(operation)?.inputSchema);
  const own = OWN_OPERATIONS.has(operation) ? withOperations(args as Json, names) : args;
  return readAction({ id: `t${nextNumber(thought.state) + index}`, ...fields, operation, args: own }, index);
}

/** Actions inside the arguments of our own operations may call a tool by its native name. */
function withOperations(value: Json, names: NativeNames): Json {
  if (Array.isArray(value)) return value.map((item) => withOperations(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'operation' && typeof item === 'string'
        ? names.toOperation(item)
        : withOperations(item as Json, names),
    ]),
  );
}

/** A list of actions that was meant to run. */
const LIST = /["'](?:actions|tool_calls)["']\s*:/;

function readText(
  { text, finishReason }: Pick<ModelOutput, 'text' | 'finishReason'>,
  thought: Thought,
  names: NativeNames,
): Extraction {
  const known = namesOfCalls(thought.tools, (operation) => names.toNative(operation));
  // JSON was not asked for in this dialect, so braces in prose are no sign of it.
  const options = { purpose: 'answer', names: known } as const;
  const extraction = extractActions(text, options);
  if (text.trim() === '') return extraction;
  const calls = extraction.ok ? extraction.actions.filter(({ operation }) => operation !== 'answer') : [];
  const isReadable =
    extraction.ok && (calls.length === 0 || calls.some(({ operation }) => known.has(operation)));
  const prose = withoutCode(text);
  const isExample = prose !== text && prose.trim() !== '' && !LIST.test(text) && !holdsCall(text, known);
  const read = !isReadable && isExample ? asWords(text, extractActions(prose, options)) : undefined;
  const found = read ?? (extraction.ok ? extraction : (jsonAnswer(text, thought) ?? extraction));
  if (!found.ok) return { ok: false, reason: NO_CALL };
  if (finishReason === 'tool-calls' && found.actions.every(({ operation }) => operation === 'answer'))
    return { ok: false, reason: 'it says that it calls a tool, and no call came with it' };
  const actions = found.actions.map((action) => ({
    ...action,
    operation: names.toOperation(action.operation),
  }));
  return { ...found, actions };
}

const NO_CALL =
  'it holds neither a call that can be read nor an answer. Call the tools themselves, and do not write calls as text';

/**
 * JSON as the answer, if the goal asks for JSON. Before the first call it may be the arguments of a tool whose
 * name is missing.
 */
function jsonAnswer(text: string, { state, tools }: Thought): Extraction | undefined {
  const answer = textWithoutThoughts(text);
  const [, fenced = answer] = /^```(?:json)?\s*\n([\s\S]*)\n\s*```$/i.exec(answer) ?? [];
  if (!/json/i.test(state.goal.normalize('NFKC')) || !/^[{[]/.test(fenced)) return undefined;
  const parsed = readJson(fenced);
  if (!parsed.ok || parsed.isRepaired) return undefined;
  const { value } = parsed;
  const isCalled = [...state.tasks.values()].some(({ attempts }) => attempts > 0);
  if (!isCalled && isObject(value) && [...tools.values()].some((tool) => areArguments(value, tool)))
    return undefined;
  return { ok: true, actions: [{ id: 't1', operation: 'answer', args: { text: answer } }], isProse: true };
}

function areArguments(value: object, { inputSchema }: Tool): boolean {
  const { properties } = inputSchema;
  return isObject(properties) && Object.keys(value).every((key) => Object.hasOwn(properties, key));
}

/** The whole text as the answer, if what looks like a call is in a code block and calls no offered tool. */
function asWords(text: string, prose: Extraction): Extraction | undefined {
  if (!prose.ok || prose.actions.some(({ operation }) => operation !== 'answer')) return undefined;
  return {
    ...prose,
    actions: [{ id: 't1', operation: 'answer', args: { text: textWithoutThoughts(text) } }],
  };
}

/** A call in progress. */
interface Writing {
  readonly name: string;
  readonly walker: JsonWalker;
  text: string;
  complete: NativeCall | undefined;
}

/**
 * Reports native calls as they complete, and the text of an answer as it is written. For some providers the
 * SDK reports calls only at the end, so this class watches their brackets.
 *
 * L1  An action is reported once, in the order of the calls, with its final id and arguments. After an
 *     unreadable call nothing more is reported.
 * L2  The text of `answer` is reported if it is the first call, as in the JSON dialect.
 * L3  Text beside calls is not an answer. So text is reported only if no tool may be called; otherwise only
 *     the end shows what it is.
 */
class NativeListener {
  readonly #thought: Thought;
  readonly #names: NativeNames;
  readonly #calls = new Map<string, Writing>();
  #told = 0;
  #isSilent = false;
  /** The `answer` call whose text is reported. */
  #answering: { readonly id: string; readonly scanner: ActionScanner } | undefined;
  /** Undefined if text is not reported. */
  #prose: ActionScanner | undefined;
  #hasBegun = false;

  constructor(thought: Thought, names: NativeNames) {
    this.#thought = thought;
    this.#names = names;
    if (!mayCallTools(thought)) this.#prose = this.#scanner('{"operation":"answer","args":{"text":"');
  }

  /** The complete output is read for its actions anyway. Only the text of an answer is still told. */
  complete(): void {
    this.#isSilent = true;
  }

  text(piece: string): void {
    if (this.#prose === undefined) return;
    const text = this.#hasBegun ? piece : piece.trimStart();
    // Actions as text, a code fence, or thoughts in tags are not shown.
    if (!this.#hasBegun && /^[{[`<]/.test(text)) this.#prose = undefined;
    this.#hasBegun ||= text !== '';
    this.#prose?.push(stringifyJson(text).slice(1, -1));
  }

  callStarted(id: string, name: string): void {
    if (this.#calls.size === 0 && this.#names.toOperation(name) === 'answer')
      this.#answering = { id, scanner: this.#scanner('{"operation":"answer","args":') };
    this.#calls.set(id, { name, walker: new JsonWalker(), text: '', complete: undefined });
  }

  callPiece(id: string, piece: string): void {
    if (this.#answering?.id === id) this.#answering.scanner.push(piece);
    const call = this.#calls.get(id);
    if (this.#isSilent || call === undefined || call.complete !== undefined) return;
    call.text += piece;
    call.walker.push(piece);
    if (call.walker.values.length > 0) this.#completed(id, { id, name: call.name, arguments: call.text });
  }

  call(call: NativeCall): void {
    if (!this.#calls.has(call.id)) this.callStarted(call.id, call.name);
    this.#completed(call.id, call);
  }

  #completed(id: string, call: NativeCall): void {
    const writing = this.#calls.get(id);
    if (writing !== undefined) writing.complete ??= call;
    for (const { complete } of [...this.#calls.values()].slice(this.#told)) {
      if (complete === undefined || this.#isSilent) return;
      this.#tell(complete);
    }
  }

  #tell(call: NativeCall): void {
    const read = readCall(call, this.#told++, { thought: this.#thought, names: this.#names });
    if (!read.ok || isWrapper(call, this.#thought.tools)) this.#isSilent = true;
    else if (isAllowed(read.action, this.#thought)) this.#thought.onAction?.(read.action);
  }

  /** Reports the text of an answer without half characters and without Refs. */
  #scanner(beginning: string): ActionScanner {
    const scanner = new ActionScanner({ onText: this.#thought.onText });
    scanner.push(beginning);
    return scanner;
  }
}
