import { isObject } from '../../model/json.ts';
import { type Fields, looksLikeAction } from './action.ts';
import { readJson } from './lenient-json.ts';
import { JsonWalker } from './walker.ts';
import { bareName, type CallNames, withoutCode } from './written-call.ts';

/**
 * Calls in the form in which a model was trained to write them: Hermes and Qwen, Llama, Mistral, DeepSeek,
 * Kimi, GLM, harmony (gpt-oss), XML, Python and ReAct. Servers that do not know the template of a model pass
 * them on as text.
 *
 * Undefined unless all are certain: after the first mark the text holds nothing but whole calls of offered
 * operations. Words before the mark are the model's thoughts.
 */
export function templateCalls(text: string, names: CallNames): Fields[] | undefined {
  const start = beginning(text);
  if (start === undefined || isCutList(text)) return undefined;
  const cursor = new Cursor(text, start);
  const calls: Fields[] = [];
  for (cursor.skip(BETWEEN); !cursor.isAtEnd; cursor.skip(BETWEEN)) {
    const call = readCall(cursor);
    if (call === undefined || !isOffered(call, names)) return undefined;
    calls.push(call);
    if (cursor.take(/\s*Observation\s*:/iy)) break;
  }
  return calls.length === 0 ? undefined : calls;
}

function isCutList(text: string): boolean {
  return text.lastIndexOf('<function_calls>') > text.lastIndexOf('</function_calls>');
}

/** What a call can begin with, wherever it stands. */
const MARK =
  /<\|?\/?tool_calls?\|?>|<function_calls?>|<start_function_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function[= ]|<invoke |<use_mcp_tool>|<[|｜]tool[▁_]calls?[▁_](?:section[▁_])?begin[|｜]>|<\|(?:start|channel)\|>[^<]*to=functions\.|(?<=^|\n)[ \t*]*Action[ \t*]*:|(?<=^|\n)[ \t*>-]*(?:Tool|Function|Operation|ツール)(?: name)?[ \t*]*[:：][^\n]+\n[ \t*>-]*(?:Arguments|Args|Parameters|Input|引数)[ \t*]*[:：]/i;
/** Python calls have no mark of their own: nothing may stand before them. */
const CODE =
  /^\s*(?:```(?:tool_code|tool_call|python)\s*)?\[?\s*(?:print\()?(?:functions\.|default_api\.)?[A-Za-z_][\w.-]*\(/;

function beginning(text: string): number | undefined {
  if (CODE.test(text)) return 0;
  const prose = withoutCode(text);
  return MARK.test(prose) ? MARK.exec(text)?.index : undefined;
}

/** Marks and signs that say nothing about a call. */
const BETWEEN =
  /(?:\[TOOL_CALLS\]|\s|[,;[\])]|<\|?\/?(?:tool_calls?|function_calls?|start_function_call|end_function_call)\|?>|<\|(?:python_tag|eom_id|eot_id|call|end|im_end)\|>|<[|｜](?:tool[▁_]calls?(?:[▁_]section)?[▁_](?:begin|end))[|｜]>|<\|start\|>assistant(?=<\|channel\|>)|```(?:json|python|tool_code|tool_call)?|print\((?=\w))+/iy;

const NAME = String.raw`(?<name>[A-Za-z_][\w.:-]*)`;
/** The name stands before a JSON object. */
const NAMED: readonly RegExp[] = [
  new RegExp(`<function=["']?${NAME}["']?>\\s*(?=\\{)`, 'y'),
  new RegExp(
    `(?:<\\|start\\|>assistant)?(?:<\\|channel\\|>)?[^<]{0,40}to=functions\\.${NAME}[^{]{0,80}<\\|message\\|>\\s*(?=\\{)`,
    'y',
  ),
  new RegExp(
    `(?:function<[|｜]tool[▁_]sep[|｜]>)?${NAME}\\s*(?:\\[CALL_ID\\]\\w+)?(?:\\[ARGS\\]|<[|｜]tool[▁_]sep[|｜]>|<\\|tool_call_argument_begin\\|>)?\\s*(?:\`\`\`(?:json)?\\s*)?(?=\\{)`,
    'y',
  ),
  new RegExp(
    `[ \\t*>-]*(?:Tool|Function|Operation|ツール)(?: name)?[ \\t*]*[:：][ \\t*\`]*${NAME}[ \\t*\`]*\\n[ \\t*>-]*(?:Arguments|Args|Parameters|Input|引数)[ \\t*]*[:：][ \\t*]*(?:\`\`\`(?:json)?\\s*)?(?=\\{)`,
    'iy',
  ),
  new RegExp(
    `[ \\t*]*Action[ \\t*]*:[ \\t*]*${NAME}[ \\t*]*\\n[ \\t*]*Action Input[ \\t*]*:\\s*(?:\`\`\`(?:json)?\\s*)?(?=\\{)`,
    'iy',
  ),
];
/** ReAct with a text instead of an object. */
const REACT = new RegExp(
  `[ \\t*]*Action[ \\t*]*:[ \\t*]*${NAME}[ \\t*]*\\n[ \\t*]*Action Input[ \\t*]*:[ \\t*]*(?<text>[^\\n{[]+)(?=\\n|$)`,
  'iy',
);
/** The name stands before tags with a parameter each. */
const TAGGED = new RegExp(`<(?:function|invoke|tool)(?:=| name=)["']?${NAME}["']?\\s*>\\s*`, 'y');
const PARAMETER =
  /<parameter(?:=| name=)["']?(?<key>[\w.-]+)["']?[^>]{0,40}>\n?(?<value>[\s\S]*?)\n?<\/parameter>\s*|<arg_key>(?<glmKey>[\w.-]+)<\/arg_key>\s*<arg_value>(?<glmValue>[\s\S]*?)<\/arg_value>\s*/y;
const TAG_END = /<\/(?:function|invoke|tool)>/y;
const GLM = new RegExp(`${NAME}\\s*(?=<arg_key>)`, 'y');
const MCP =
  /<use_mcp_tool>\s*<server_name>\s*(?<server>[\w-]+)\s*<\/server_name>\s*<tool_name>\s*(?<tool>[\w.-]+)\s*<\/tool_name>\s*<arguments>\s*(?=\{)/y;
const MCP_END = /\s*<\/arguments>\s*<\/use_mcp_tool>/y;
const PYTHON = new RegExp(`${NAME}\\(`, 'y');

function readCall(cursor: Cursor): Fields | undefined {
  if (cursor.next === '{') {
    const element = cursor.object();
    return looksLikeAction(element) ? element : undefined;
  }
  for (const form of NAMED) {
    const name = cursor.take(form)?.groups?.name;
    if (name === undefined) continue;
    const args = cursor.object();
    cursor.take(TAG_END);
    return args === undefined ? undefined : { operation: bareName(name), args };
  }
  const { name: react, text } = cursor.take(REACT)?.groups ?? {};
  if (react !== undefined)
    return { operation: bareName(react), args: text?.trim().replace(/^(["'`])(.*)\1$/, '$2') };
  const tagged = cursor.take(TAGGED)?.groups?.name;
  if (tagged !== undefined) {
    const args = parameters(cursor);
    return cursor.take(TAG_END) === undefined ? undefined : { operation: bareName(tagged), args };
  }
  const glm = cursor.take(GLM)?.groups?.name;
  if (glm !== undefined) return { operation: glm, args: parameters(cursor) };
  const mcp = cursor.take(MCP)?.groups;
  if (mcp !== undefined) {
    const args = cursor.object();
    return args === undefined || cursor.take(MCP_END) === undefined
      ? undefined
      : { operation: `${mcp.server}.${mcp.tool}`, args };
  }
  const python = cursor.take(PYTHON)?.groups?.name;
  const args = python === undefined ? undefined : (cursor.inBrackets() ?? cursor.keywords());
  return python === undefined || args === undefined
    ? undefined
    : { operation: bareName(python.replace(/\.call$/, '')), args };
}

function parameters(cursor: Cursor): Fields {
  const args: Record<string, unknown> = {};
  for (let found = cursor.take(PARAMETER); found !== undefined; found = cursor.take(PARAMETER)) {
    const { key, value, glmKey, glmValue } = found.groups ?? {};
    args[key ?? glmKey ?? ''] = value ?? glmValue;
  }
  return args;
}

function isOffered({ operation, tool, name, function: inner }: Fields, names: CallNames): boolean {
  const given = operation ?? tool ?? name ?? (isObject(inner) ? inner.name : inner);
  return typeof given === 'string' && names.has(bareName(given));
}

/** A Python value that needs no evaluation. */
const LITERAL = /^(?:["'[{]|-?\d|True\b|False\b|None\b)/;

class Cursor {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  get next(): string | undefined {
    return this.#text[this.#at];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The pattern is sticky. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  skip(pattern: RegExp): void {
    this.take(pattern);
  }

  /** The JSON object that begins here. */
  object(): Fields | undefined {
    const walker = new JsonWalker();
    for (let end = this.#at; end < this.#text.length && walker.values.length === 0; end += PIECE)
      walker.push(this.#text.slice(end, end + PIECE));
    const [span] = walker.values;
    if (span === undefined || span.start !== 0) return undefined;
    const parsed = readJson(walker.slice(0, span.end));
    this.#at += span.end;
    return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
  }

  /** `{"city": "Kyoto"})` or `"Kyoto")`: one value, to the closing bracket. */
  inBrackets(): Fields | string | undefined {
    const start = this.#at;
    this.take(/\s*/y);
    const value = this.next === '{' ? this.object() : this.#value()?.value;
    if ((isObject(value) || typeof value === 'string') && this.take(/\s*\)/y) !== undefined) return value;
    this.#at = start;
    return undefined;
  }

  /** `city="Kyoto", days=2)`: the arguments of a Python call, to its closing bracket. */
  keywords(): Fields | undefined {
    const args: Record<string, unknown> = {};
    for (this.take(/\s*/y); this.take(/\)/y) === undefined; this.take(/\s*,?\s*/y)) {
      const key = this.take(/([A-Za-z_]\w*)\s*=\s*/y)?.[1];
      const value = key === undefined ? undefined : this.#value();
      if (key === undefined || value === undefined) return undefined;
      args[key] = value.value;
    }
    return args;
  }

  /** A literal up to the comma or bracket that ends it. */
  #value(): { readonly value: unknown } | undefined {
    const written = this.take(VALUE)?.[0] ?? '';
    if (!LITERAL.test(written)) return undefined;
    const parsed = readJson(`{"value": ${written}}`);
    return parsed.ok && isObject(parsed.value) ? { value: parsed.value.value } : undefined;
  }
}

const PIECE = 2000;
const STRING = String.raw`"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'`;
/** Strings, and lists or objects one level deep. */
const VALUE = new RegExp(`(?:${STRING}|[[{](?:${STRING}|[^\\]}"'[{])*[\\]}]|[\\w.+-])+`, 'y');
