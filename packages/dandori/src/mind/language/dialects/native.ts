import type { JSONSchema7, ModelMessage, ToolSet } from 'ai';
import { type Json, type JsonObject, roundedIn, stringifyJson } from '../../../model/json.ts';
import { withTextIntegers } from '../../../model/stand-in.ts';
import { type Action, STEP_TOOL } from '../../../model/task.ts';
import { clip } from '../../../model/text.ts';
import type { Tool } from '../../../model/tool.ts';
import { OWN_OPERATIONS, ownOperations } from '../../../run/actions/own-operations.ts';
import type { RunState } from '../../../run/state/state.ts';
import type { Thought } from '../../mind.ts';
import { isFields, type ReadAction, readAction } from '../../parsing/action.ts';
import { type Extraction, extractActions, spokenWords } from '../../parsing/extract.ts';
import { isTooDeep, readJson, TOO_DEEP } from '../../parsing/parse.ts';
import { ActionScanner } from '../../parsing/scanner.ts';
import { JsonWalker } from '../../parsing/walker.ts';
import { holdsCall, withoutCode } from '../../parsing/written-call.ts';
import { readPrompt, withSection } from '../../prompts/read.ts';
import type { Spoken, SpokenCall } from '../call.ts';
import { ABOUT_OUTPUTS, type Form, hasPlans, writeInstructions } from '../instructions.ts';
import { type Asked, converse, type Wording } from '../prompt.ts';
import { hasRefs, knownTools, notate, tellServers } from '../tool-text.ts';
import type { Dialect, Listener } from './dialect.ts';
import { callNames, isAllowed, mayCallTools, offeredOperations } from './json.ts';
import { NativeNames, nextNumber } from './native-names.ts';
import { bare, widened } from './native-schema.ts';
import { NativeConversation, readAbout, withAbout } from './native-transcript.ts';

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
      tools[names.toNative(name)] = { description: oneLine(description), inputSchema };
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

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return clip(line, LONGEST_DESCRIPTION - 1);
}

/** The actions in a model's calls. Without any call its text is the answer, or actions that it wrote as text. */
function readCalls({ text, calls, finishReason }: Spoken, thought: Thought, names: NativeNames): Extraction {
  // Of calls that were cut the last may be missing, and half a plan is never taken for a whole one.
  if (finishReason === 'length') return extractActions(text.trim() === '' ? '…' : text, { isCut: true });
  if (calls.length === 0) return readText({ text, finishReason }, thought, names);
  const actions: Action[] = [];
  for (const [index, call] of calls.entries()) {
    const read = readCall(call, index, { thought, names });
    if (!read.ok) return read;
    actions.push(read.action);
  }
  const reasoning = text.trim();
  return { ok: true, actions, ...(reasoning !== '' && { reasoning }) };
}

function readCall(
  { name, arguments: given }: SpokenCall,
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
  const rounded = parsed === undefined ? roundedIn(value) : undefined;
  if (rounded !== undefined)
    return {
      ok: false,
      reason: `${rounded} in call ${index + 1} (${operation}) may not be the number that was meant. Write it as text, in quotes`,
    };
  if (isTooDeep(value)) return { ok: false, reason: TOO_DEEP };
  const { fields, args } = readAbout(value, thought.tools.get(operation)?.inputSchema);
  const own = OWN_OPERATIONS.has(operation) ? withOperations(args as Json, names) : args;
  return readAction({ id: `t${nextNumber(thought.state) + index}`, ...fields, operation, args: own }, index);
}

/** Actions inside the arguments of our own operations may call a tool by its native name. */
function withOperations(value: Json, names: NativeNames): Json {
  if (Array.isArray(value)) return value.map((item) => withOperations(item, names));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'operation' && typeof item === 'string'
        ? names.toOperation(item)
        : withOperations(item as Json, names),
    ]),
  );
}

/** A list that was meant to be run, whatever else is the matter with it. */
const LIST = /["'](?:actions|tool_calls)["']\s*:/;

function readText(
  { text, finishReason }: Pick<Spoken, 'text' | 'finishReason'>,
  thought: Thought,
  names: NativeNames,
): Extraction {
  const known = callNames(thought, (operation) => names.toNative(operation));
  // The purpose matters little here: braces in prose are no sign of JSON where none was asked for.
  const options = { purpose: 'answer', names: known } as const;
  const extraction = extractActions(text, options);
  if (text.trim() === '') return extraction;
  const calls = extraction.ok ? extraction.actions.filter(({ operation }) => operation !== 'answer') : [];
  const isReadable =
    extraction.ok && (calls.length === 0 || calls.some(({ operation }) => known.has(operation)));
  const prose = withoutCode(text);
  const isExample = prose !== text && prose.trim() !== '' && !LIST.test(text) && !holdsCall(text, known);
  const read = !isReadable && isExample ? asWords(text, extractActions(prose, options)) : undefined;
  const found = read ?? extraction;
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

/** The whole text as the answer, where all that looks like a call stands in its code and calls nothing that is offered. */
function asWords(text: string, prose: Extraction): Extraction | undefined {
  if (!prose.ok || prose.actions.some(({ operation }) => operation !== 'answer')) return undefined;
  return { ...prose, actions: [{ id: 't1', operation: 'answer', args: { text: spokenWords(text) } }] };
}

/** A call that is being written. */
interface Writing {
  readonly name: string;
  readonly walker: JsonWalker;
  text: string;
  /** As soon as it is known. */
  complete: SpokenCall | undefined;
}

/**
 * Tells native calls as they complete, and the text of an answer as it is written. The SDK tells the calls of some
 * providers only at the very end, so that their brackets are watched here.
 *
 * L1  An action is told once, in the order of the calls, with the id and the arguments that it has in the end. After
 *     one that cannot be read nothing more is told.
 * L2  The text of `answer` is told if it is the first call, as in the other dialect.
 * L3  Text beside calls is no answer. So it is told only where no tool may be called; elsewhere it is not known before
 *     the end what it is.
 */
class NativeListener implements Listener {
  readonly #thought: Thought;
  readonly #names: NativeNames;
  readonly #calls = new Map<string, Writing>();
  #told = 0;
  #isSilent = false;
  /** The call whose text is told. */
  #answering: { readonly id: string; readonly scanner: ActionScanner } | undefined;
  /** Undefined where text is not told. */
  #prose: ActionScanner | undefined;
  #hasBegun = false;

  constructor(thought: Thought, names: NativeNames) {
    this.#thought = thought;
    this.#names = names;
    if (!mayCallTools(thought)) this.#prose = this.#scanner('{"operation":"answer","args":{"text":"');
  }

  text(piece: string): void {
    if (this.#prose === undefined) return;
    const text = this.#hasBegun ? piece : piece.trimStart();
    // Actions as text, a fence around them, or a thought in tags: nothing to show.
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
    if (call === undefined || call.complete !== undefined) return;
    call.text += piece;
    call.walker.push(piece);
    if (call.walker.values.length > 0) this.#completed(id, { id, name: call.name, arguments: call.text });
  }

  call(call: SpokenCall): void {
    if (!this.#calls.has(call.id)) this.callStarted(call.id, call.name);
    this.#completed(call.id, call);
  }

  #completed(id: string, call: SpokenCall): void {
    const writing = this.#calls.get(id);
    if (writing !== undefined) writing.complete ??= call;
    for (const { complete } of [...this.#calls.values()].slice(this.#told)) {
      if (complete === undefined || this.#isSilent) return;
      this.#tell(complete);
    }
  }

  #tell(call: SpokenCall): void {
    const read = readCall(call, this.#told++, { thought: this.#thought, names: this.#names });
    if (!read.ok) this.#isSilent = true;
    else if (isAllowed(read.action, this.#thought)) this.#thought.onAction?.(read.action);
  }

  /** It knows how to tell the text of an answer: no half characters, and no Refs. */
  #scanner(beginning: string): ActionScanner {
    const scanner = new ActionScanner({ onText: this.#thought.onText });
    scanner.push(beginning);
    return scanner;
  }
}
