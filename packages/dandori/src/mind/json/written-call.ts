import { JsonWalker } from './walker.ts';

/** How models mark a call in their own templates, with what must follow so that it is a call and not talk about one. */
const MARKS: readonly RegExp[] = [
  // Qwen, Hermes, GLM, Granite, Phi, Functionary and others, with the beginning of a call or the end of the text behind it.
  /<\|?\/?(?:tool_calls?|function_calls?|functioncall|start_function_call|tool_call_begin|tool_calls_section_begin|action_start)\|?>\s*(?:$|[{[<(]|[\w.-]+\s*(?:$|[\n({<[]))/i,
  // The closing tag of one, without its beginning.
  /[}\])]\s*<\/(?:tool_calls?|function_calls?|functioncall)>/i,
  // Mistral.
  /\[TOOL_CALLS\]\s*(?:$|[[{]|[\w.-]+\s*(?:$|[[{(]))/,
  // Llama.
  /<\|python_tag\|>/,
  /<function=["']?[\w.-]*(?:$|["']?\s*[>{])/,
  // Anthropic.
  /<(?:\w+:)?invoke\s+name\s*=\s*(?:$|["'])/,
  /<(?:\w+:)?(?:function_calls|tool_use)>\s*(?:$|<)/,
  // DeepSeek and Kimi write their marks with bars and blocks of their own.
  /<[|｜]tool[▁_]calls?[▁_](?:begin|sep|section[▁_]begin)[|｜]>/,
  // Harmony, as gpt-oss writes it.
  /<\|channel\|>\s*commentary\b|\bto=functions\.[\w.-]+/,
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
 * A line that is nothing but a call: `functions.places_find({"q": …`, `places.find(q="Kyoto")`, `Action: places_find`; or a
 * tag that has the name of a tool.
 */
function callsAsCode(prose: string, names: CallNames): boolean {
  const isTool = (name = '') => names.has(name) && /[._]/.test(name);
  if (prose.matchAll(/<([A-Za-z_][\w.-]*)>/g).some(([, name]) => isTool(name))) return true;
  return prose.split('\n').some((line) => {
    if (isTool(/^\s*Action\s*:\s*`?([\w.-]+)`?\s*$/i.exec(line)?.[1])) return true;
    const [, prefix, name = '', rest = ''] =
      /^\s*(functions\.)?([A-Za-z_][\w.-]*)\s*\((.*)$/.exec(line) ?? [];
    const isKnown = names.has(name) && (prefix !== undefined || /[._]/.test(name));
    return isKnown && /^\s*(?:$|[{"'\d[]|\w+\s*=)/.test(rest) && /(?:^|[^.。!?])$/.test(rest.trim());
  });
}

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
