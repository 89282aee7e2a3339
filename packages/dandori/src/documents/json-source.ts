import { parsedJson, parseJson, stringifyJson } from '../model/json.ts';
import { clip } from '../model/text.ts';
import { type Path, type Place, placeAt } from './place.ts';
import { type LocatedProblem, MAX_PROBLEMS } from './problem.ts';
import type { Source } from './source.ts';

/** `JSON.parse` has no depth limit, but later code that walks the value does. */
const MAX_DEPTH = 500;

/** Undefined if the text is not JSON. */
export function jsonSource(text: string, name: string): Source | undefined {
  // A single number or word is read as YAML, which gives better error messages.
  if (!/^\s*[{[]/.test(text)) return undefined;
  const value = parsedJson(text);
  if (value === undefined) return undefined;
  return { name, value, problems: findProblems(text, name), locate: (path, at) => locate(text, path, at) };
}

/** The syntax error and its place, if known. Undefined if the text is JSON. */
export function notJson(text: string): { message: string; place?: Place } | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    const told = (error as Error).message;
    const [, position] = /at position (\d+)/.exec(told) ?? [];
    const reason = told.replace(/, (?:\.\.\.)?".*/s, '').replace(/ in JSON at position.*/s, '');
    const message = `this is not JSON: ${reason}`;
    return position === undefined
      ? { message }
      : { message, place: placeAt(text, Number(position), Number(position) + 1) };
  }
}

/** `parseJson` silently keeps the last of two equal keys, and reads a number that is too large as null. */
function findProblems(text: string, name: string): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  scan(text, {
    key(key, start, end, seen) {
      if (!seen.has(key) || problems.length >= MAX_PROBLEMS) return;
      const message = `the key ${stringifyJson(key)} appears twice`;
      problems.push({
        where: name,
        place: placeAt(text, start, end),
        message,
        hint: 'remove one of them',
      });
    },
    enter(path, start, end) {
      if (path.length <= MAX_DEPTH) return false;
      problems.push({ where: name, place: placeAt(text, start, end), message: 'this is nested too deeply' });
      return true;
    },
    atom(source, start, end) {
      if (!/^-?\d/.test(source) || Number.isFinite(Number(source)) || problems.length >= MAX_PROBLEMS) return;
      if (parseJson(source) === null)
        problems.push({ where: name, place: placeAt(text, start, end), ...hugeNumber(source) });
    },
  });
  return problems;
}

export function hugeNumber(source: string): { message: string } {
  return {
    message: `${clip(source, 40)} is not a number that can be used`,
  };
}

interface Visitor {
  /** `seen` contains the earlier keys of the same object. */
  key?(key: string, start: number, end: number, seen: ReadonlySet<string>): void;
  atom?(source: string, start: number, end: number): void;
  /** Called at the start of a value. `path` changes afterwards. Returning true ends the walk. */
  enter?(path: readonly (string | number)[], start: number, end: number): boolean;
}

interface Level {
  readonly keys: Set<string> | undefined;
  index: number;
}

/** Walks over text that `JSON.parse` has accepted, so it only has to distinguish tokens. */
function scan(text: string, visitor: Visitor): void {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  const levels: Level[] = [];
  const path: (string | number)[] = [];
  let expectsKey = false;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    const end = tokens.lastIndex;
    const level = levels.at(-1);
    if (token === '}' || token === ']') {
      levels.pop();
      if (level !== undefined && (level.keys === undefined || level.keys.size > 0)) path.pop();
      expectsKey = false;
    } else if (token === ',') {
      if (level?.keys === undefined) {
        if (level !== undefined) path[path.length - 1] = ++level.index;
      } else {
        expectsKey = true;
        path.pop();
      }
    } else if (token === ':') {
      expectsKey = false;
    } else if (expectsKey && level?.keys !== undefined) {
      const key = parseJson(token) as string;
      visitor.key?.(key, match.index, end, level.keys);
      level.keys.add(key);
      path.push(key);
    } else {
      if (visitor.enter?.(path, match.index, end) === true) return;
      if (token === '{') {
        levels.push({ keys: new Set(), index: 0 });
        expectsKey = true;
      } else if (token === '[') {
        levels.push({ keys: undefined, index: 0 });
        path.push(0);
      } else visitor.atom?.(token, match.index, end);
    }
  }
}

function locate(text: string, path: Path, at: 'key' | 'value'): Place {
  let best = { depth: -1, start: 0, end: 1 };
  let lastKey = { start: 0, end: 0 };
  scan(text, {
    key(_key, start, end) {
      lastKey = { start, end };
    },
    enter(current, start, end) {
      if (current.length <= best.depth || !isPrefix(current, path)) return false;
      const keyed = typeof current.at(-1) === 'string';
      const wantsKey =
        keyed && (at === 'key' || current.length < path.length || /[{[]/.test(text[start] ?? ''));
      best = { depth: current.length, ...(wantsKey ? lastKey : { start, end }) };
      return current.length === path.length;
    },
  });
  return placeAt(text, best.start, best.end);
}

function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => part === path[index]);
}
