import {
  Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { asObject, isObject, type Json, sameJson, stringifyJson } from '../model/json.ts';
import { jsonSource } from './json-source.ts';

/** An entry of a group of a file, such as `mcpServers` and the name of a server. */
export type EntryPath = readonly [group: string, name: string];

/**
 * The text of a YAML or JSON file with an entry added or replaced. Every other character of YAML stays: comments, blank
 * lines, the columns of comments. The text must be valid.
 */
export function withEntry(text: string, path: EntryPath, value: Json): string {
  return edited(text, { path, value });
}

/** The text without an entry. A group that loses its last entry becomes `{}`, which differs from no group. */
export function withoutEntry(text: string, path: EntryPath): string {
  return edited(text, { path, value: undefined });
}

interface Edit {
  readonly path: EntryPath;
  /** Undefined to remove the entry. */
  readonly value: Json | undefined;
}

function edited(text: string, edit: Edit): string {
  if (text.includes('\r\n')) return edited(text.replaceAll('\r\n', '\n'), edit).replaceAll('\n', '\r\n');
  const json = jsonSource(text, '');
  if (json !== undefined) return stringifyJson(applied(json.value, edit), indentOf(text)).concat('\n');
  const wanted = applied(parseDocument(text).toJS(), edit);
  const spliced = splice(text, edit);
  if (spliced !== undefined && isMeant(spliced, wanted)) return spliced;
  // A form that is rare in files that people write, such as a group in braces: the whole file is written again.
  const document = parseDocument(text);
  if (edit.value === undefined) {
    document.deleteIn(edit.path);
    const left = document.getIn([edit.path[0]]);
    if (isCollection(left) && left.items.length === 0)
      document.setIn([edit.path[0]], document.createNode({}));
  } else document.setIn(edit.path, document.createNode(edit.value));
  return document.toString({ lineWidth: 0 });
}

/** The value of the file after the edit. */
function applied(before: unknown, { path: [group, name], value }: Edit): Json {
  const root = asObject(before);
  const { [name]: _old, ...others } = isObject(root[group]) ? root[group] : {};
  // A replaced entry keeps its place.
  const entries = Object.entries(isObject(root[group]) ? root[group] : {});
  const isThere = entries.some(([key]) => key === name);
  const kept =
    value === undefined
      ? others
      : Object.fromEntries([
          ...entries.map(([key, old]) => [key, key === name ? value : old]),
          ...(isThere ? [] : [[name, value]]),
        ]);
  return { ...root, [group]: kept } as Json;
}

function isMeant(text: string, wanted: Json): boolean {
  const document = parseDocument(text, { logLevel: 'error' });
  return document.errors.length === 0 && sameJson((document.toJS() ?? {}) as Json, wanted);
}

/** Undefined if the file has a form that cannot be edited in place. */
function splice(text: string, { path: [group, name], value }: Edit): string | undefined {
  const root = parseDocument(text).contents;
  if (root !== null && (!isMap(root) || root.flow === true)) return undefined;
  const found = root === null ? undefined : pairOf(root, group);
  if (found === undefined) {
    if (value === undefined) return text;
    const before = text.trim() === '' ? text : `${text.trimEnd()}\n\n`;
    return `${before}${group}:\n${written(name, value, 2)}`;
  }
  const [start, end] = rangeOf(found.value) ?? [];
  const isEmpty = !isMap(found.value) || found.value.items.length === 0;
  if (isEmpty) {
    if (value === undefined) return text;
    const keyEnd = rangeOf(found.key)?.[1] ?? 0;
    // `mcpServers: {}  # none yet` keeps its comment.
    const open = isMap(found.value) ? text.slice(0, start).trimEnd() + text.slice(end) : text;
    const at = lineEnd(open, keyEnd);
    return inserted(open, at, written(name, value, columnOf(text, rangeOf(found.key)?.[0] ?? 0) + 2));
  }
  if (!isMap(found.value) || found.value.flow === true) return undefined;
  return spliceEntry(text, found.value, { name, value, keyEnd: rangeOf(found.key)?.[1] ?? 0 });
}

interface Entry {
  readonly name: string;
  readonly value: Json | undefined;
  /** Where the key of the group ends. */
  readonly keyEnd: number;
}

function spliceEntry(text: string, map: YAMLMap, { name, value, keyEnd }: Entry): string | undefined {
  const [first] = map.items;
  const last = map.items.at(-1);
  const old = pairOf(map, name);
  if (first === undefined || last === undefined) return undefined;
  const indent = columnOf(text, rangeOf(first.key)?.[0] ?? 0);
  if (old === undefined)
    return value === undefined
      ? text
      : inserted(text, lineEnd(text, leafEnd(last)), written(name, value, indent));
  const start = lineStart(text, rangeOf(old.key)?.[0] ?? 0);
  const rest = text.slice(lineEnd(text, leafEnd(old)));
  if (value !== undefined) return text.slice(0, start) + written(name, value, indent) + rest;
  const without = text.slice(0, start) + rest;
  return map.items.length > 1
    ? without
    : `${text.slice(0, keyEnd)}: {}${without.slice(keyEnd).replace(/^\s*:/, '')}`;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((item) => isScalar(item.key) && item.key.value === key);
}

function rangeOf(node: unknown): readonly [number, number] | undefined {
  const range = isScalar(node) || isCollection(node) ? node.range : undefined;
  return range ? [range[0], range[1]] : undefined;
}

/** The range of a block collection includes comments that follow it, so its last leaf is looked for. */
function leafEnd(node: unknown): number {
  if (isPair(node))
    return node.value === null || isBare(node.value) ? leafEnd(node.key) : leafEnd(node.value);
  if (isCollection(node) && node.flow !== true && node.items.length > 0) return leafEnd(node.items.at(-1));
  return rangeOf(node)?.[1] ?? 0;
}

/** `name:` with nothing after it. */
function isBare(node: unknown): boolean {
  return isScalar(node) && node.range?.[0] === node.range?.[1];
}

function written(name: string, value: Json, indent: number): string {
  const document = new Document({ [name]: value });
  visit(document, {
    Collection(_key, node) {
      if (node.items.every((item) => isScalar(item))) node.flow = true;
    },
  });
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(indent));
}

function inserted(text: string, at: number, piece: string): string {
  const before = text.slice(0, at);
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${piece}${text.slice(at)}`;
}

/** Where the next line begins. A block text already ends with its line. */
function lineEnd(text: string, position: number): number {
  if (text[position - 1] === '\n') return position;
  const newline = text.indexOf('\n', position);
  return newline === -1 ? text.length : newline + 1;
}

function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1;
}

function columnOf(text: string, position: number): number {
  return position - lineStart(text, position);
}

/** As the file has it. JSON without line breaks gets some. */
function indentOf(text: string): number {
  return /^( +)"/m.exec(text)?.[1]?.length ?? 2;
}

/** The JSON of an editor's settings, with its comments blanked out. Positions stay. */
export function withoutJsonComments(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (token) =>
    token.startsWith('"') ? token : token.replaceAll(/[^\n]/g, ' '),
  );
}
