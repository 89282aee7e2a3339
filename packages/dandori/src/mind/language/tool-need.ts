import { asObject } from '../../model/json.ts';
import type { Tool } from '../../model/tool.ts';
import { meaningOf, stem } from '../../search/dictionary.ts';
import { termsIn } from '../../search/terms.ts';

/**
 * Whether the goal speaks of what one of these tools does: "Weather in Kyoto?" with `weather.now`, 牛乳を捨てて
 * with `kitchen.remove_item`, a file name with a tool that takes a path. A guess from words. It only says
 * whether text instead of actions is believed.
 */
export function needsTool(goal: string, tools: readonly Tool[]): boolean {
  if (tools.length === 0 || ASKS_FOR_KNOWLEDGE.test(goal)) return false;
  const asked = new Set(termsIn(goal).filter(isTelling));
  return tools.some(
    (tool) =>
      termsIn(`${tool.name} ${tool.title ?? ''}`).some((term) => asked.has(term)) ||
      Object.keys(asObject(tool.inputSchema.properties)).some((name) =>
        FORMS.some(([key, form]) => key.test(name) && form.test(goal)),
      ),
  );
}

/** A model can explain a thing although a tool is named after it. */
const ASKS_FOR_KNOWLEDGE =
  /^\W*(?:why|explain|how (?:do|does|can|to)|what(?:'s|’s| is| are) (?:an? |the (?:difference|meaning)))\b|とは[何は？?。]?|違い|なぜ|どうして|意味/i;

/** What a model does without a tool: "Write a haiku", "Translate this", "a name for my cat". */
const OF_A_MODEL: ReadonlySet<string> = new Set(
  'write create update translate language text description name title value result number note'.split(' '),
);

function isTelling(term: string): boolean {
  const key = term.replace('~', '');
  const meaning = meaningOf(stem(key));
  if (meaning === undefined) return !/^\d+$/.test(key);
  return (meaning.kind !== 'soft' || meaning.name === 'use') && !OF_A_MODEL.has(meaning.name);
}

/** Names of parameters, and the form of a value in the goal that only such a parameter can be meant for. */
const FORMS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:path|file|filename|file_?path)$/i, /[\w-]\.[a-z]{2,4}\b(?!\.)|(?:^|\s)\.{0,2}\/\w/i],
  [/expression|formula/i, /\d\s*[-+*/×÷^＋－＊／]\s*[\d(]/],
  [/^(?:ip|ip_?address|address)$/i, /\b\d{1,3}(?:\.\d{1,3}){3}\b/],
  [/^(?:url|uri|href)$/i, /\bhttps?:\/\//i],
];
