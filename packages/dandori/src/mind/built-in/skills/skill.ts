import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { Language } from '../../../model/text.ts';

/** One call of a tool. */
export interface Call {
  readonly operation: string;
  readonly args: JsonObject;
  /** Arguments that come from the result of the call before this one: the path of each. */
  readonly fromLast?: Readonly<Record<string, string>>;
}

/** What a skill does next: calls of tools, a final answer, a question, or the reason why it cannot be done. */
export type SkillMove =
  | { readonly kind: 'call'; readonly calls: readonly Call[] }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'ask'; readonly question: string; readonly options?: readonly string[] }
  | { readonly kind: 'cannot'; readonly why: string };

export interface Request {
  /** The user's words: half-width, in lower case, without the signs at the end. */
  readonly text: string;
  /** The user's words as they are. */
  readonly raw: string;
  readonly language: Language;
  /** It orders something. A question, a condition or a denial does not. */
  readonly isOrder: boolean;
  readonly has: (operation: string) => boolean;
  /** In adaptive mode arguments hold real values and never Refs. */
  readonly isAdaptive: boolean;
  /** Whether the configuration wants one tool to be called before the other. */
  readonly isRuled: (before: string, after: string) => boolean;
  readonly isDone: (call: Call) => boolean;
  /** The result of a call that has succeeded; undefined where it is too large to be at hand. */
  readonly result: (call: Call) => Json | undefined;
  /** What the user answered to this question. */
  readonly answerTo: (question: string) => Json | undefined;
}

/**
 * Knows how to do one kind of everyday goal with the shipped servers. It is a pure function of the goal and of the results
 * so far: asked again after each result, it goes on where it was. `undefined` means that the goal is of another kind.
 */
export type Skill = (request: Request) => SkillMove | undefined;

/**
 * The results of all these calls, or the calls that are still to be made. A result that is too large is left to the general
 * planner: then the move is undefined.
 */
export function resultsOf(
  calls: readonly Call[],
  { isDone, result }: Request,
): { readonly missing: SkillMove | undefined } | { readonly results: readonly JsonObject[] } {
  const open = calls.filter((call) => !isDone(call));
  if (open.length > 0) return { missing: { kind: 'call', calls: open } };
  const found = calls.map(result);
  if (found.includes(undefined)) return { missing: undefined };
  return { results: found.map((value) => asObject(value)) };
}

export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function asRows(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

export function pick<Text>(language: Language, japanese: Text, english: Text): Text {
  return language === 'ja' ? japanese : english;
}

export function plain(goal: string): string {
  return goal
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[“”"「」『』]/g, ' ')
    .replace(/[\s。.?!]+$/, '')
    .trim();
}
