import { stringifyJson } from '../../domain/json-text.ts';
import { readJson } from './parse.ts';
import { type Fields, firstOf, isFields, LIST_KEYS, looksLikeAction } from './shape.ts';
import { JsonWalker, type Span } from './walker.ts';

/** A piece of JSON in the output that has to do with actions. */
export interface Candidate {
  readonly kind: 'list' | 'single' | 'broken';
  readonly span: Span;
  readonly elements: readonly unknown[];
  /** The same for two pieces that say the same. */
  readonly source: string;
  readonly reasoning: string | undefined;
  /** What was mended. */
  readonly note: string | undefined;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
}

/** Other JSON in the text, such as an example or a citation, is left out. One that is broken is the last: it refuses all. */
export function readCandidates({ values }: JsonWalker, text: string): Candidate[] {
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
  const empty = {
    span,
    elements: [],
    source: slice,
    reasoning: undefined,
    note: undefined,
    problem: undefined,
  };
  if (!parsed.ok) {
    const isOurs =
      /["']?(?:actions|elements|operation|tool|tool_calls)["']?\s*:/.test(slice) || isCall(slice);
    return isOurs
      ? { ...empty, kind: 'broken', problem: `its JSON is broken: ${parsed.problem}` }
      : undefined;
  }
  const { value } = parsed;
  const note = parsed.isMended ? 'broken JSON mended' : undefined;
  const source = stringifyJson(value);
  const list = listIn(value);
  if (list !== undefined) {
    if (countLists(slice) > 1)
      return { ...empty, kind: 'broken', problem: 'it holds two lists of actions. Write exactly one' };
    return { ...empty, kind: 'list', elements: list, source, reasoning: reasoningOf(value), note };
  }
  const single = looksLikeAction(value) ? value : shortAnswer(value);
  return single === undefined ? undefined : { ...empty, kind: 'single', elements: [single], source, note };
}

/** `name` alone says little, also where it cannot be read. */
function isCall(slice: string): boolean {
  const hasName = /["']?name["']?\s*:\s*["']/.test(slice);
  return hasName && /["']?(?:arguments|args|parameters)["']?\s*:\s*[{"']/.test(slice);
}

const BESIDE_AN_ANSWER = ['answer', 'achieved', 'criteria', 'reasoning', 'thought', 'thinking'];

/** `{"answer": "…"}`, as small models like to write it. With anything else in it, it may be data. */
function shortAnswer(value: unknown): Fields | undefined {
  if (!isFields(value) || typeof value.answer !== 'string') return undefined;
  const { answer: text, ...rest } = value;
  const isAlone = Object.keys(value).every((key) => BESIDE_AN_ANSWER.includes(key));
  return isAlone ? { operation: 'answer', args: { ...rest, text } } : undefined;
}

/** Of a key that stands twice JSON keeps the last, and what stood before would be lost without a word. */
function countLists(slice: string): number {
  let count = 0;
  const walker = new JsonWalker({
    opened({ kind }) {
      const [outer] = walker.frames;
      const isList = kind === '[' && walker.frames.length === 2 && outer?.kind === '{';
      if (isList && LIST_KEYS.includes(outer.key ?? '')) count++;
    },
  });
  walker.push(slice);
  return count;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.some(looksLikeAction) ? value : undefined;
  if (!isFields(value) || looksLikeAction(value)) return undefined;
  const list = firstOf(value, LIST_KEYS);
  if (Array.isArray(list)) return list;
  return looksLikeAction(list) ? [list] : undefined;
}

function reasoningOf(value: unknown): string | undefined {
  const reasoning = isFields(value)
    ? firstOf(value as Fields, ['reasoning', 'thought', 'thinking'])
    : undefined;
  return typeof reasoning === 'string' && reasoning.trim() !== '' ? reasoning : undefined;
}
