import { JsonWalker } from './walker.ts';

/** How models mark a call in their own templates, with what must follow so that it is a call and not talk about one. */
const MARKS: readonly RegExp[] = [
  // Qwen, Hermes, GLM, Granite, Phi, Functionary, Nemotron, LFM, MiniMax and others, with the beginning of a call or the end
  // of the text behind it. Some put a name of their own before it: `<minimax:tool_call>`, `<longcat_tool_call>`.
  /<[|｜]?\/?(?:\w{1,20}[:_|｜])?(?:tool_?calls?|function_?calls?|start_function_call|tool_code|tool_call_(?:begin|start)|tool_calls_section_begin|action_start|use_mcp_tool)[|｜]?>\s*(?:$|[{[<(]|[A-Za-z_][\w.:-]*\s*(?:$|[\n({[]|<(?!\/)))/i,
  // The closing tag of one, without its beginning.
  /[}\])]\s*<\/(?:tool_calls?|function_calls?|functioncall)>/i,
  // Mistral.
  /\[TOOL_CALLS\]\s*(?:$|[[{]|[A-Za-z_][\w.-]*\s*(?:$|[[{(]))/,
  // Llama.
  /<\|python_tag\|>/,
  /<function=["']?[\w.-]*(?:$|["']?\s*[>{])/,
  // Anthropic, DeepSeek, Grok and those who write the name as an attribute.
  /<(?:\w{1,20}:|[|｜]\w{1,20}[|｜])?(?:invoke|(?:function|tool)(?:_call)?)\s+name\s*=\s*(?:$|["'])/,
  /<(?:\w{1,20}:)?(?:function_calls|tool_use)>\s*(?:$|<)/,
  // DeepSeek and Kimi write their marks with bars and blocks of their own.
  /<[|｜]tool[▁_]calls?(?:[▁_](?:begin|sep|section[▁_]begin))?[|｜]>/,
  // Harmony, as gpt-oss writes it.
  /<\|channel\|>\s*commentary\b|\bto=functions\.[\w.-]+/,
  // ReAct, whatever the name of the tool.
  /(?:^|\n)[ \t*]{0,8}Action[ \t*]{0,8}:[^\n]{1,200}\n\s{0,8}\*{0,2}Action Input\b/i,
  // A mark in the middle of which the text ends.
  /<(?:[|｜][^\s<>]{0,40}|(?:\w{1,20}:)?(?:tool_|function|invoke)\w{0,20})$/i,
];

const NAME_KEYS = 'name|tool|tool_name|operation|function|recipient_name';
const ARGUMENTS = /["'](?:arguments|args|parameters|input)["']\s*:/g;
/** `{…}` stands for what a reader is spared: an example. */
const ELIDED = /\{\s*(?:\.{3}|…)\s*\}/g;

/** What a model may mean by the name of an operation: as it is, as providers write it, and without its server. */
export type CallNames = ReadonlySet<string>;

/**
 * Whether a text in which no list of actions was found holds a call that was cut or is broken. Such a text is no answer.
 * One that talks about JSON, or shows code, is.
 *
 * T1  A mark of a model's template counts where a call begins behind it, but not in code, where it is shown.
 * T2  JSON that cannot be read counts where it calls an operation that is offered, in code too.
 * T3  JSON that the text ends in the middle of counts, outside of code and in code that is not closed.
 */
export function holdsCall(text: string, names: CallNames = new Set()): boolean {
  const prose = withoutCode(text);
  return (
    MARKS.some((mark) => mark.test(prose)) ||
    /```tool_(?:code|call)/.test(text) ||
    callsByName(text, names) ||
    callsAsCode(prose, names) ||
    isCut(prose)
  );
}

/** Closed blocks and spans of code are left out; what is open at the end stays. */
export function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?```|~~~[\s\S]*?~~~|(?<!`)(`+)(?!`)[^`\n]+\1/g, ' ');
}

function callsByName(text: string, names: CallNames): boolean {
  const named = new RegExp(`["'](?:${NAME_KEYS})["']\\s*:\\s*["']([^"']{1,200})["']`, 'g');
  const [given, elided] = [lastOf(ARGUMENTS, text), lastOf(ELIDED, text)];
  return text
    .matchAll(named)
    .some(({ 1: name = '', index }) => names.has(bare(name)) && index < given && index > elided);
}

function lastOf(what: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(what)) last = index;
  return last;
}

/**
 * A line that is nothing but a call: `functions.places_find({"q": …`, `places.find(q="Kyoto")`, `Action: places_find`,
 * `places_find` above its arguments; or a tag that has the name of a tool, or holds it alone.
 */
function callsAsCode(prose: string, names: CallNames): boolean {
  const isTool = (name = '') => names.has(name) && /[._]/.test(name);
  if (prose.matchAll(/<([A-Za-z_][\w.-]*)>/g).some(([, name]) => isTool(name))) return true;
  if (prose.matchAll(/<(?:tool|tool_name|name|function)>\s*([\w.-]+)\s*</g).some(([, name]) => isTool(name)))
    return true;
  const lines = prose.split('\n');
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

/** What may stand before the name where a line is a call: a mark, `print(`, a list, or words that announce it. */
const CALL_LINE =
  /^\s*(?:>>>|<[^<>\s]{1,40}>|\[|print\(|[^\w\s]{1,3}function[^\w\s]{1,3}:|[*]{0,2}(?:action|tool[ _]call|function[ _]call)[*]{0,2}:)?\s*(functions\.|default_api\.)?([A-Za-z_][\w.-]*)\s*($|[({].*$)/i;

function isCut(prose: string): boolean {
  const walker = new JsonWalker();
  walker.push(prose);
  const [outermost] = walker.frames;
  const opened = outermost === undefined ? '' : prose.slice(outermost.start);
  return /^(?:\{\s*"|\[\s*\{)/.test(opened) || /```(?:json)?\s*[{[][^`]*$/.test(prose);
}

function bare(name: string): string {
  return name.trim().replace(/^functions\./, '');
}
