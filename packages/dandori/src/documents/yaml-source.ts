import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { numberFrom } from '../model/json/numbers.ts';
import { isNormal, stringifyJson } from '../model/json.ts';
import { hugeNumber } from './json-source.ts';
import { type Path, type Place, placeAt } from './place.ts';
import { type LocatedProblem, MAX_PROBLEMS } from './problem.ts';
import type { Source } from './source.ts';

/** More aliases than any hand-written file has, and few enough to expand safely. */
const MAX_ALIASES = 1000;
/** After the first few syntax errors the parser is out of sync, and further errors are noise. */
const MAX_SYNTAX_ERRORS = 3;
/**
 * The number of errors examined. One stray quote can cause an error on each line, all with the same place.
 */
const MAX_LOOKED_AT = 50;

export function yamlSource(text: string, name: string): Source {
  const document = parsed(text);
  const locate = (path: Path, at: 'key' | 'value') => locateNode(document, text, { path, at });
  const problem: Report = (start, end, found) => ({
    where: name,
    place: placeAt(text, start, end),
    ...found,
  });
  const syntax = syntaxProblems(document, text, problem);
  const problems = syntax.length > 0 ? syntax : checkNodes(document, problem);
  if (problems.length > 0) return { name, value: undefined, problems, locate };
  try {
    return { name, value: document.toJS({ maxAliasCount: MAX_ALIASES }) ?? undefined, problems, locate };
  } catch {
    const start = text.lastIndexOf('*');
    const found = { message: 'the aliases expand to too much', hint: 'write the values out' };
    return { name, value: undefined, problems: [problem(start, start + 1, found)], locate };
  }
}

/** A text can have an error at every character, and most of their cost is the stack trace of each. */
function parsed(text: string): Document.Parsed {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    // `checkNodes` looks for equal keys, because the library compares each key with every other one.
    return parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

type Report = (start: number, end: number, found: { message: string; hint?: string }) => LocatedProblem;

/** One error per line: further errors on a line nearly always have the same cause. */
function syntaxProblems(document: Document.Parsed, text: string, problem: Report): LocatedProblem[] {
  const byLine = new Map<number | undefined, LocatedProblem>();
  const found = [...document.errors, ...document.warnings].slice(0, MAX_LOOKED_AT);
  const isQuote = ({ code, message }: { code: string; message: string }) =>
    code === 'MISSING_CHAR' && message.includes('quote');
  const quoted = found.some(isQuote) ? lastQuoted(document) : undefined;
  for (const error of found) {
    const { code, message, pos } = error;
    // Each error is located in the whole text, and there may be as many errors as characters.
    if (byLine.size >= MAX_SYNTAX_ERRORS) break;
    const [start, end] = isQuote(error) ? (quoted ?? pos) : pos;
    const hint = isFollowedTooFar(document, start)
      ? 'the next line is indented too far: begin it in the same column as this one'
      : syntaxHint(code, { message, line: placeAt(text, start, end).text });
    const told = problem(start, end, {
      message: SYNTAX_MESSAGES[code] ?? `this is not YAML: ${message}`,
      ...(hint !== undefined && { hint }),
    });
    if (!byLine.has(told.place?.line)) byLine.set(told.place?.line, told);
  }
  return [...byLine.values()];
}

/** YAML reports an unclosed quote at the end of the file. This finds where it opens. */
function lastQuoted(document: Document.Parsed): readonly [number, number] | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_key, { type, range }) {
      if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') start = range?.[0];
    },
  });
  return start === undefined ? undefined : [start, start + 1];
}

const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent a line in YAML',
  MULTIPLE_DOCS: 'there is a second document after ---, and only one is read',
  RESOURCE_EXHAUSTION: 'this is nested too deeply',
};

/** To the parser, a value on its line with a key below it looks like one long key. */
function isFollowedTooFar({ errors }: Document.Parsed, start: number): boolean {
  return errors.some(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === start);
}

function syntaxHint(code: string, { message, line }: { message: string; line: string }): string | undefined {
  if (code === 'BAD_INDENT') return 'begin it in the same column as the keys that it belongs with';
  if (message.startsWith('Sequence item without -'))
    return 'begin it with "- ", or in the same column as the other keys of its item';
  if (code === 'TAB_AS_INDENT') return 'use spaces';
  if (code === 'MULTIPLE_DOCS') return 'remove the ---, or keep one of the two documents';
  if (line.includes('${')) return 'between { } or [ ] put quotes around a Ref: "${t1.city}"';
  if (code === 'BLOCK_AS_IMPLICIT_KEY' || /:.*: /.test(line))
    return 'put text that contains a colon in quotes';
  return undefined;
}

const PLAIN_TAGS = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((tag) => `tag:yaml.org,2002:${tag}`),
);

/** Values that are valid YAML but not valid JSON, or that differ from what the user sees. */
function checkNodes(document: Document.Parsed, problem: Report): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const anchors = new Map<string, Node>();
  let aliases = 0;
  const report = (node: Node, found: { message: string; hint?: string }) => {
    const [start, end] = node.range ?? [0, 1];
    if (problems.length < MAX_PROBLEMS) problems.push(problem(start, end, found));
  };
  visit(document, {
    Node(_key, node, ancestors) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target === undefined) report(node, { message: `there is no anchor &${node.source} before this` });
        else if (ancestors.includes(target)) report(node, { message: `*${node.source} holds itself` });
        if (++aliases <= MAX_ALIASES) return;
        report(node, { message: `there are more than ${MAX_ALIASES} aliases`, hint: 'write the values out' });
        return visit.BREAK;
      }
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
        report(node, {
          message: `the tag ${node.tag.replace('tag:yaml.org,2002:', '!!')} is not known`,
          hint: 'remove it',
        });
      }
      if (isMap(node)) for (const key of repeatedKeys(node.items)) report(key, repeated(key));
      else if (isScalar(node)) {
        const { value, source = '' } = node;
        if (typeof value !== 'number' || isNormal(value)) return undefined;
        // The library has rounded the number, but its text is still available.
        const exact = numberFrom(source);
        if (exact === undefined) report(node, hugeNumber(source));
        else node.value = exact;
      }
      return undefined;
    },
  });
  return problems;
}

function repeatedKeys(pairs: readonly { key: unknown }[]): Node[] {
  const seen = new Set<string>();
  return pairs.flatMap(({ key }) => {
    const name = keyName(key);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return isNode(key) ? [key] : [];
  });
}

function repeated(key: Node): { message: string; hint: string } {
  return { message: `the key ${stringifyJson(keyName(key))} appears twice`, hint: 'remove one of them' };
}

function keyName(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function locateNode(
  document: Document.Parsed,
  text: string,
  { path, at }: { path: Path; at: 'key' | 'value' },
): Place {
  let key: Node | undefined;
  let node: Node | undefined = document.contents ?? undefined;
  let complete = true;
  for (const part of path) {
    const container: Node | undefined = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(container)
      ? container.items.find((item) => keyName(item.key) === String(part))
      : undefined;
    const item = isSeq(container) && typeof part === 'number' ? container.items[part] : pair?.value;
    if (pair === undefined && !isNode(item)) {
      complete = false;
      break;
    }
    key = pair !== undefined && isNode(pair.key) ? pair.key : undefined;
    node = isNode(item) ? item : undefined;
  }
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  const pointsAtKey =
    key !== undefined && (at === 'key' || !complete || isBlock || node === undefined || isEmpty(node));
  const [start, end] = (pointsAtKey ? key : node)?.range ?? [0, 1];
  return placeAt(text, start, isBlock && !pointsAtKey ? start + 1 : end);
}

/** `name:` with nothing after it has an empty value. */
function isEmpty(node: Node): boolean {
  return node.range?.[0] === node.range?.[1];
}
