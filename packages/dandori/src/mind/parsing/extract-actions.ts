import type { Purpose } from '../../model/event.ts';
import { isObject, stringifyJson } from '../../model/json.ts';
import type { Action } from '../../model/task.ts';
import {
  ANSWER_KEYS,
  type Fields,
  firstOf,
  LIST_KEYS,
  looksLikeAction,
  plainKey,
  REASONING_KEYS,
  readAction,
  saysSomething,
  WRAPPER_KEYS,
  withOurKeys,
} from './action.ts';
import { DEEPEST, isTooDeep, parseExactly, readJson, TOO_DEEP } from './lenient-json.ts';
import { templateCalls } from './template-call.ts';
import { JsonWalker, type Span } from './walker.ts';
import { type CallNames, holdsCall } from './written-call.ts';

export type Extraction =
  | {
      readonly ok: true;
      readonly actions: Action[];
      readonly reasoning?: string;
      readonly repaired?: string;
      /** Set if plain text was used as the answer. */
      readonly isProse?: true;
    }
  | { readonly ok: false; readonly reason: string };

interface ExtractOptions {
  readonly purpose?: Purpose;
  /** The output was cut off at the token limit. */
  readonly isCut?: boolean;
  readonly names?: CallNames;
}

/**
 * The actions in a model's output, whatever surrounds them. A reason of refusal is written for the model.
 *
 * X1  Half a plan is never used: an open bracket, a mismatched bracket or a cut refuses the whole output.
 * X2  One element that is not an action refuses the whole output, because the rest may depend on it.
 * X3  Two different lists refuse the whole output.
 */
export function extractActions(
  written: string,
  { purpose = 'act', isCut = false, names }: ExtractOptions = {},
): Extraction {
  if (written.trim() === '') return refuse('it is empty');
  if (isCut)
    return refuse('it was cut off at the limit of its length. Write less: fewer actions, shorter texts');
  const whole = readWhole(written.trim(), names);
  return whole ?? readClosely(straightened(written), purpose, names);
}

/** An output that is not simply one valid object with a list. */
function readClosely(raw: string, purpose: Purpose, names: CallNames | undefined): Extraction {
  const calls = names === undefined ? undefined : templateCalls(textWithoutThoughts(raw), names);
  if (calls !== undefined)
    return read(calls, { reasoning: undefined, notes: ['calls in the form of a model template'], names });
  const whole = readWhole(raw.trim(), names);
  if (whole !== undefined) return whole;
  const walker = new JsonWalker();
  walker.push(raw);
  if (walker.deepest > DEEPEST) return refuse(TOO_DEEP);
  const candidates = readCandidates(walker, raw);
  const prose = candidates.length === 0 ? readProse(raw, { purpose, names }) : undefined;
  if (prose !== undefined) return prose;
  const problem = brokenPart(walker, raw) ?? candidates.find(({ kind }) => kind === 'broken')?.problem;
  return problem === undefined ? fromCandidates(candidates, { walker, names }) : refuse(problem);
}

/**
 * JSON as a text inside a text, and JSON whose quotes or brackets are not ASCII. Only what surrounds the values
 * changes.
 */
function straightened(raw: string): string {
  const text = raw.trim();
  if (/^"\s*[{[]/.test(text) && text.endsWith('"')) {
    const inner = readJson(`[${text}]`);
    const [only] = inner.ok && Array.isArray(inner.value) ? inner.value : [];
    if (typeof only === 'string') return only;
  }
  if (/[{[,:]\s*[“”„]/.test(text) && !/[{,]\s*"/.test(text)) return raw.replaceAll(/[“”„]/g, '"');
  if (!/^(?:```(?:json)?)?\s*[｛［]/.test(text)) return raw;
  return raw
    .replaceAll(/[｛［｝］]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll(/(?<=["\]}]\s*)[，、](?=\s*["{[])/g, ',')
    .replaceAll(/(?<=["\d]\s*)：(?=\s*["{[\d])/g, ':');
}

/** Most outputs are one valid object with a list. Undefined for anything else, which is looked at closely. */
function readWhole(text: string, names: CallNames | undefined): Extraction | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    return undefined;
  }
  if (isTooDeep(value)) return undefined;
  const candidate = candidateIn(value, { span: { start: 0, end: text.length }, slice: text });
  if (candidate?.kind !== 'list') return undefined;
  return read(candidate.elements, { reasoning: candidate.reasoning, notes: [], names });
}

function brokenPart({ isOpen, mismatch }: JsonWalker, text: string): string | undefined {
  if (mismatch !== undefined) {
    const before = text.slice(Math.max(0, mismatch - 40), mismatch + 1);
    return `its brackets do not match: \`${text[mismatch]}\` closes the wrong one at the end of \`${before}\``;
  }
  return isOpen ? 'it ends before its JSON is complete: a bracket is still open' : undefined;
}

interface Source {
  readonly walker: JsonWalker;
  readonly names: CallNames | undefined;
}

function fromCandidates(candidates: readonly Candidate[], source: Source): Extraction {
  const { walker, names } = source;
  const lists = candidates.filter(({ kind }) => kind === 'list');
  const singles = candidates.filter(({ kind }) => kind === 'single');
  const [first] = lists;
  if (first === undefined) return singles.length === 0 ? refuse(NO_LIST) : fromSingles(singles, source);
  const isAlone =
    singles.length === 0 && lists.every((list) => list === first || list.source() === first.source());
  if (!isAlone) return refuse(`it holds ${candidates.length} pieces of JSON with actions. Write exactly one`);
  if (first.note !== undefined && walker.strays > 0)
    return refuse('its JSON is broken: it has too many closing brackets');
  return read(first.elements, { reasoning: first.reasoning, notes: [first.note], names });
}

const NO_LIST =
  'it holds no list of actions. As in the example, "actions" is a list, and each has an "operation" and "args"';

/** A single object, or one object per line. Text between them makes the list unclear. */
function fromSingles(singles: readonly Candidate[], { walker, names }: Source): Extraction {
  const isLines = singles.every(({ span }, index) => {
    const previous = singles[index - 1];
    return previous === undefined || walker.slice(previous.span.end, span.start).trim() === '';
  });
  if (!isLines) return refuse(`it holds ${singles.length} objects that are in no list. ${NO_LIST}`);
  const note =
    singles.length === 1
      ? 'one object taken as the list of actions'
      : 'objects in lines taken as the list of actions';
  const elements = singles.flatMap((single) => single.elements);
  return read(elements, {
    reasoning: undefined,
    notes: [note, ...singles.map((single) => single.note)],
    names,
  });
}

interface About {
  readonly reasoning: string | undefined;
  readonly notes: readonly (string | undefined)[];
  readonly names: CallNames | undefined;
}

/** Content blocks: the words beside the calls. */
function isWords(one: unknown): boolean {
  return isObject(one) && one.type === 'text' && typeof one.text === 'string';
}

function read(all: readonly unknown[], about: About): Extraction {
  const hasWords = all.some(isWords) && all.some(looksLikeAction);
  const elements = hasWords ? all.filter((one) => !isWords(one)) : all;
  if (elements.length === 0)
    return refuse('its list of actions is empty. Call a tool, or use "answer" or "ask"');
  const actions: Action[] = [];
  for (const [index, element] of elements.entries()) {
    const action = readAction(element, index, about.names);
    if (!action.ok) return refuse(action.reason);
    actions.push(action.action);
  }
  const repaired = [...new Set(about.notes.filter((note) => note !== undefined))].join('; ');
  return {
    ok: true,
    actions,
    ...(about.reasoning !== undefined && { reasoning: about.reasoning }),
    ...(repaired !== '' && { repaired }),
  };
}

/**
 * The text without the thoughts before it, without the marks of channels (harmony), and without what follows
 * the end of the turn.
 */
export function textWithoutThoughts(raw: string): string {
  if (!raw.includes('<')) return raw.trim();
  const text = raw
    .replace(/^[\s\S]*<\/(?:think|thinking|reasoning)>/i, '')
    .replace(END_OF_TURN, '')
    .replace(/^[\s\S]*<\|channel\|>\s?final[^<]*(?:<\|constrain\|>\w+)?<\|message\|>/, '');
  return text.trim();
}

/** At the end, or before the turn of another role. */
const END_OF_TURN =
  /(?:<\/s>|<\|(?:im_end|eot_id|eom_id|end|return|end_of_text|endoftext)\|>|<end_of_turn>|<｜end▁of▁sentence｜>)\s*(?:$|<\|(?:im_start|start_header_id)\|>[\s\S]*$|<start_of_turn>[\s\S]*$)/;

/** Plain text is an answer, unless it may be meant as JSON. */
function readProse(raw: string, { purpose, names }: ExtractOptions): Extraction | undefined {
  const text = textWithoutThoughts(raw);
  if (text === '') return undefined;
  if (!saysSomething(text) || /^(?:null|none|undefined)\.?$/i.test(text)) return refuse('it says nothing');
  const isUnfinishedThought = /^<(?:think|thinking|reasoning)>|<\|channel\|>\s?analysis/i.test(text);
  // Without quotes and brackets it is ordinary text: "The operation: a success."
  const isMeantAsJson =
    /^(?:[{[]|```)/.test(text) ||
    /["'](?:actions|operation)["']\s*:/.test(text) ||
    (/[{[]/.test(text) && /(?:actions|operation)\s*:/.test(text));
  if (isUnfinishedThought || isMeantAsJson || (purpose === 'act' && text.includes('{'))) return undefined;
  if (holdsCall(text, names)) return refuse(BROKEN_CALL);
  const action: Action = { id: 't1', operation: 'answer', args: { text: bareAnswer(text) } };
  return { ok: true, actions: [action], repaired: 'plain text taken as the answer', isProse: true };
}

/** The answer in a text that is marked as one: `Final Answer: …`, `<answer>…</answer>`, `"…"`. */
function bareAnswer(text: string): string {
  const [, final, tagged] =
    /^(?:Thought\s*:[\s\S]*?\n)?\s*(?:\*\*)?Final Answer(?:\*\*)?\s*:(?:\*\*)?\s*([\s\S]+)$|^<(?:final_)?answer>([\s\S]+)<\/(?:final_)?answer>$/i.exec(
      text,
    ) ?? [];
  const answer = (final ?? tagged ?? text).trim();
  return /^"[^"\n]+"$/.test(answer) ? answer.slice(1, -1) : answer;
}

const BROKEN_CALL =
  'it holds a call written as text that was cut or cannot be read. Return the call again in the form that is asked for, or answer in words';

function refuse(reason: string): Extraction {
  return { ok: false, reason };
}

/** A piece of JSON in the output that may contain actions. */
interface Candidate {
  readonly kind: 'list' | 'single' | 'broken';
  readonly span: Span;
  readonly elements: readonly unknown[];
  /** Equal for two pieces with the same content. */
  readonly source: () => string;
  readonly reasoning: string | undefined;
  /** What was repaired. */
  readonly note: string | undefined;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
}

/** Skips other JSON, such as an example. Stops at a broken piece, because that refuses the whole output. */
function readCandidates({ values }: JsonWalker, text: string): Candidate[] {
  const candidates: Candidate[] = [];
  for (const span of values) {
    const candidate = readCandidate(span, text.slice(span.start, span.end));
    if (candidate !== undefined) candidates.push(candidate);
    if (candidate?.kind === 'broken') break;
  }
  return candidates;
}

function readCandidate(span: Span, slice: string): Candidate | undefined {
  const parsed = readJson(slice);
  if (parsed.ok)
    return candidateIn(parsed.value, {
      span,
      slice,
      note: parsed.isRepaired ? 'broken JSON repaired' : undefined,
    });
  const isOurs =
    /["']?(?:actions|elements|operation|tool|tool_calls|next_action)["']?\s*:/.test(slice) || isCall(slice);
  return isOurs ? broken(span, `its JSON is broken: ${parsed.problem}`) : undefined;
}

function candidateIn(
  parsed: unknown,
  { span, slice, note }: { readonly span: Span; readonly slice: string; readonly note?: string | undefined },
): Candidate | undefined {
  const value = withOurKeys(parsed);
  const list = listIn(value);
  const finished = list === undefined || list.length === 0 ? shortAnswer(value) : undefined;
  const found = { span, note, problem: undefined, source: () => stringifyJson(value) };
  if (list !== undefined && finished === undefined) {
    const isRepaired = note !== undefined;
    if ((isRepaired || mayHoldLists(slice)) && countLists(slice) > 1)
      return broken(span, 'it holds two lists of actions. Write exactly one');
    return { ...found, kind: 'list', elements: list, reasoning: reasoningOf(value) };
  }
  const single = looksLikeAction(value) ? value : finished;
  return single === undefined
    ? undefined
    : { ...found, kind: 'single', elements: [single], reasoning: undefined };
}

function broken(span: Span, problem: string): Candidate {
  return {
    kind: 'broken',
    span,
    elements: [],
    source: () => '',
    reasoning: undefined,
    note: undefined,
    problem,
  };
}

/** `name` alone is not enough, as in `looksLikeAction`. */
function isCall(slice: string): boolean {
  const hasName = /["']?name["']?\s*:\s*["']/.test(slice);
  return hasName && /["']?(?:arguments|args|parameters|params)["']?\s*:\s*[{"']/.test(slice);
}

/** How agents of other programs say that they have finished. */
const COMPLETE_KEYS = ['is_complete', 'isComplete', 'complete', 'completed', 'done', 'finished'];
/** How they say that no tool is needed. */
const TOOL_KEYS = ['needs_tools', 'needs_tool', 'tool_needed', 'requires_tools', 'use_tool', 'use_tools'];
const BESIDE_AN_ANSWER: ReadonlySet<string> = new Set([
  ...ANSWER_KEYS,
  ...COMPLETE_KEYS,
  ...TOOL_KEYS,
  ...REASONING_KEYS,
  ...['achieved', 'criteria', 'next_action', 'actions'],
]);

/**
 * `{"answer": "…"}` or `{"is_complete": true, "completion_message": "…"}`, as small models write it. With
 * other keys it may be data.
 */
function shortAnswer(value: unknown): Fields | undefined {
  if (!isObject(value) || !Object.keys(value).every((key) => BESIDE_AN_ANSWER.has(key))) return undefined;
  const text = firstOf(value, ANSWER_KEYS);
  const isOpen = firstOf(value, COMPLETE_KEYS) === false || firstOf(value, TOOL_KEYS) === true;
  if (typeof text !== 'string' || text.trim() === '' || isOpen) return undefined;
  const { achieved, criteria } = value;
  return { operation: 'answer', args: { text, achieved, criteria } };
}

/** The name of a list of actions, in any spelling that `plainKey` knows. */
const NAMED_LIST = new RegExp(`"(?:${LIST_KEYS.join('|').replaceAll('_', '_?')})"\\s*:\\s*\\[`, 'gi');

/** Whether valid JSON names more than one list of actions, at any depth. Most outputs have one and need no count. */
function mayHoldLists(slice: string): boolean {
  return (slice.match(NAMED_LIST)?.length ?? 0) > 1;
}

/** JSON keeps the last of two equal keys, so the first list would be lost silently. */
function countLists(slice: string): number {
  let count = 0;
  const walker = new JsonWalker({
    opened({ kind }) {
      const [outer] = walker.frames;
      const isList = kind === '[' && walker.frames.length === 2 && outer?.kind === '{';
      if (isList && LIST_KEYS.includes(plainKey(outer.key ?? ''))) count++;
    },
  });
  walker.push(slice);
  return count;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.some(looksLikeAction) ? value : undefined;
  if (!isObject(value) || looksLikeAction(value)) return undefined;
  const given = firstOf(value, LIST_KEYS) ?? wrapped(value);
  const list = typeof given === 'string' ? listInText(given) : given;
  if (Array.isArray(list)) return list;
  if (looksLikeAction(list)) return [list];
  return isObject(list) ? byId(list) : undefined;
}

/** With other keys it may be data, such as the record of a call. */
function wrapped(value: Fields): unknown {
  const isBare = Object.keys(value).every(
    (key) => WRAPPER_KEYS.includes(key) || REASONING_KEYS.includes(key),
  );
  if (!isBare) return undefined;
  const found = WRAPPER_KEYS.map((key) => value[key]).filter(
    (one) => looksLikeAction(one) || (Array.isArray(one) && one.every(looksLikeAction)) || isList(one),
  );
  const [one, ...others] = found;
  return others.length > 0 ? undefined : isList(one) ? firstOf(one, LIST_KEYS) : one;
}

function isList(value: unknown): value is Fields {
  const list = isObject(value) ? firstOf(value, LIST_KEYS) : undefined;
  return Array.isArray(list) && list.length > 0 && list.every(looksLikeAction);
}

/** A list that was written as text: `{"actions": "[{…}]"}`. */
function listInText(text: string): unknown {
  const parsed = /^\s*\[/.test(text) ? readJson(text) : undefined;
  return parsed?.ok === true ? parsed.value : undefined;
}

/** `{"actions": {"t1": {…}, "t2": {…}}}`: the keys are the ids. */
function byId(list: Fields): unknown[] | undefined {
  const entries = Object.entries(list);
  const isList = entries.length > 0 && entries.every(([, action]) => looksLikeAction(action));
  return isList ? entries.map(([id, action]) => ({ id, ...(action as Fields) })) : undefined;
}

function reasoningOf(value: unknown): string | undefined {
  const reasoning = isObject(value) ? firstOf(value as Fields, REASONING_KEYS) : undefined;
  return typeof reasoning === 'string' && reasoning.trim() !== '' ? reasoning : undefined;
}
