import { JsonWalker } from './walker.ts';

/** How model templates mark a call, with what must follow to make it a call instead of a mention. */
const MARKS: readonly RegExp[] = [
  // Qwen, Hermes, GLM, Granite, Phi, Functionary, Nemotron, LFM, MiniMax and others, followed by the start of a
  // call or the end of the text. Some add a prefix: `<minimax:tool_call>`, `<longcat_tool_call>`.
  /<[|｜]?\/?(?:\w{1,20}[:_|｜])?(?:tool_?calls?|function_?calls?|start_function_call|tool_code|tool_call_(?:begin|start)|tool_calls_section_begin|action_start|use_mcp_tool)[|｜]?>\s*(?:$|[{[<(]|[A-Za-z_][\w.:-]*\s*(?:$|[\n({[]|<(?!\/)))/i,
  // A closing tag without its opening tag.
  /[}\])]\s*<\/(?:tool_calls?|function_calls?|functioncall)>/i,
  // Mistral.
  /\[TOOL_CALLS\]\s*(?:$|[[{]|[A-Za-z_][\w.-]*\s*(?:$|[[{(]))/,
  // Llama.
  /<\|python_tag\|>/,
  /<function=["']?[\w.-]*(?:$|["']?\s*[>{])/,
  // Anthropic, DeepSeek, Grok and others that write the name as an attribute.
  /<(?:\w{1,20}:|[|｜]\w{1,20}[|｜])?(?:invoke|(?:function|tool)(?:_call)?)\s+name\s*=\s*(?:$|["'])/,
  /<(?:\w{1,20}:)?(?:function_calls|tool_use)>\s*(?:$|<)/,
  // DeepSeek and Kimi use special bars and blocks.
  /<[|｜]tool[▁_]calls?(?:[▁_](?:begin|sep|section[▁_]begin))?[|｜]>/,
  // Harmony, used by gpt-oss.
  /<\|channel\|>\s*commentary\b|\bto=functions\.[\w.-]+/,
  // A thought of Harmony, or a result that the model made up.
  /^\s*(?:<\|start\|>assistant)?<\|channel\|>\s*analysis\b|^\s*<tool_response>/,
  // ReAct, with any tool name.
  /(?:^|\n)[ \t*]{0,8}Action[ \t*]{0,8}:[^\n]{1,200}\n\s{0,8}\*{0,2}Action Input\b/i,
  // The text ends inside a mark.
  /<(?:[|｜][^\s<>]{0,40}|(?:\w{1,20}:)?(?:tool_|function|invoke)\w{0,20})$/i,
];

const NAME_KEYS = 'name|tool|tool_name|operation|function|recipient_name';
const ARGUMENTS = /["'](?:arguments|args|parameters|input)["']\s*:/g;
/** `{…}` marks an example. */
const ELIDED = /\{\s*(?:\.{3}|…)\s*\}/g;

/**
 * The names a model may use for an operation: as it is, in native form, and without its server. With each, its only
 * required parameter, if that is a text: `Action Input: 100 + 200`.
 */
export type CallNames = ReadonlyMap<string, string | undefined>;

/**
 * Whether a text without a list of actions contains a cut or broken call. Such a text is not an answer. A
 * text that mentions JSON or shows code is.
 *
 * T1  A template mark counts if a call starts after it, but not inside code.
 * T2  Unreadable JSON counts if it calls an offered operation, also inside code.
 * T3  JSON that the end of the text cuts off counts, outside of code and in an open code block.
 */
export function holdsCall(text: string, names: CallNames = new Map()): boolean {
  const prose = withoutCode(text);
  return (
    MARKS.some((mark) => mark.test(prose)) ||
    /```tool_(?:code|call)/.test(text) ||
    callsByName(text, names) ||
    callsByLabel(text, names) ||
    callsAsCode(prose, names) ||
    isCut(prose)
  );
}

/** Removes closed code blocks and spans; an open block at the end stays. */
export function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?```|~~~[\s\S]*?~~~|(?<!`)(`+)(?!`)[^`\n]+\1/g, ' ');
}

function callsByName(text: string, names: CallNames): boolean {
  const named = new RegExp(`["'](?:${NAME_KEYS})["']\\s*:\\s*["']([^"']{1,200})["']`, 'g');
  const [given, elided] = [lastOf(ARGUMENTS, text), lastOf(ELIDED, text)];
  return text
    .matchAll(named)
    .some(({ 1: name = '', index }) => names.has(bareName(name)) && index < given && index > elided);
}

/** A line such as `Tool: places_find`, above the arguments. */
const LABELLED =
  /(?:^|\n)[\s>*_-]{0,8}(?:tool|tool[ _]name|function|function[ _]name|operation|name|call|ツール|関数)[\s*_]{0,4}[:：][\s*_`]{0,4}([A-Za-z_][\w.-]*)[`*_ ]{0,4}\n[\s>*_`-]{0,8}(?:json\s{0,4})?(?:\{|args|arguments|param|input|tool[ _]input|引数|入力)/gi;

function callsByLabel(text: string, names: CallNames): boolean {
  return text.matchAll(LABELLED).some(({ 1: name = '' }) => isToolName(name, names));
}

function isToolName(name: string, names: CallNames): boolean {
  return names.has(name) && /[._]/.test(name);
}

function lastOf(what: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(what)) last = index;
  return last;
}

/**
 * A line that is only a call: `functions.places_find({"q": …`, `places.find(q="Kyoto")`,
 * `Action: places_find`, or `places_find` above its arguments. Or a tag that is named like a tool, or contains
 * only its name.
 */
function callsAsCode(prose: string, names: CallNames): boolean {
  const isTool = (name = '') => isToolName(name, names);
  if (isTool(prose.trim())) return true;
  if (prose.matchAll(/<([A-Za-z_][\w.-]*)(?:\s[^<>]{0,200})?>/g).some(([, name]) => isTool(name)))
    return true;
  if (prose.matchAll(/<(?:tool|tool_name|name|function)>\s*([\w.-]+)\s*</g).some(([, name]) => isTool(name)))
    return true;
  if (isTool(COMMAND.exec(prose)?.[1])) return true;
  const lines = prose.split('\n');
  const listed = lines.filter((line) => line.trim() !== '').map((line) => LISTED_CALL.exec(line)?.[1]);
  if (listed.length > 0 && listed.every(isTool)) return true;
  return lines.some((line, index) => {
    if (isTool(/^[\s*]*Action[\s*]*:[\s*]*([\w.-]+)\s*(?:$|\[)/i.exec(line)?.[1])) return true;
    const [, prefix, name = '', rest = ''] = CALL_LINE.exec(line) ?? [];
    const isKnown = names.has(name) && (prefix !== undefined || /[._]/.test(name));
    if (!isKnown) return false;
    if (rest === '')
      return (
        index < lines.length - 1 &&
        /^\s*(?:<[^<>]{1,40}>|\W{1,3}\w{1,20}\W{1,3}:)?\s*\{/.test(lines[index + 1] ?? '')
      );
    if (rest.startsWith('{')) return /^\{\s*(?:$|"|\w+:)/.test(rest) && /[}"\w:]\s*$/.test(rest);
    return /^\(\s*(?:$|[{"'\d[]|\w+\s*=)/.test(rest) && /(?:^|[^.。!?])$/.test(rest.trim());
  });
}

/** What may precede the name in such a line: a mark, `print(`, a list, an assignment, or an announcement. */
const CALL_LINE =
  /^\s*(?:>>>|to=|<[^<>\s]{1,40}>|\[|print\(|(?:(?:const|let|var)\s)?\s*(?:\w{1,40}\s*=)?\s*await\s|[^\w\s]{1,3}function[^\w\s]{1,3}:|[*]{0,2}(?:action|tool[ _]call|function[ _]call|ツール(?:の)?呼び出し)[*]{0,2}[:：])?\s*(functions\.|default_api\.)?([A-Za-z_][\w.-]*)\s*(?:[:：]\s*(?=\{))?($|[({].*$)/i;
/** The text ends with a line like a command: `$ places.find Kyoto`, or is only `places.find --q Kyoto`. */
const COMMAND =
  /(?:(?:^|\n)[ \t]*[$>/!@#][ \t]*|^\s*(?=[\w.-]+[ \t]+(?:--?\w|\w+=|["'])))([A-Za-z_][\w.-]*)(?:[ \t][^\n]{0,400})?[^.。!?！？\n]?\s*$/;
/** A line of a text that only lists calls. */
const LISTED_CALL = /^\s*(?:[-*•]|\d{1,3}[.)])\s*([A-Za-z_][\w.-]*)\s*\([^()]*\)\s*;?\s*$/;

function isCut(prose: string): boolean {
  const walker = new JsonWalker();
  walker.push(prose);
  const [outermost] = walker.frames;
  const opened = outermost === undefined ? '' : prose.slice(outermost.start);
  return /^(?:\{\s*"|\[\s*\{)/.test(opened) || /```(?:json)?\s*[{[][^`]*$/.test(prose);
}

/** `functions.places_find:0` is `places_find`. */
export function bareName(name: string): string {
  return name
    .trim()
    .replace(/^(?:functions|default_api)\./, '')
    .replace(/:\d+$/, '');
}
