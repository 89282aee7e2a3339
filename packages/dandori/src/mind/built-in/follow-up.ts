import { isObject, type Json } from '../../model/json.ts';
import { citiesIn } from './skills/cities.ts';
import { normalised } from './skills/numbers.ts';

const HEAT = /fahrenheit|華氏|°f\b/;
const LEAD = String.raw`^(?:(?:and|then|ok|so|what about|how about|じゃあ|では|それじゃあ?|なら|あと)[\s,、]*)*`;
const PLACE = new RegExp(
  `${LEAD}(?:in |for |about )?⟨⟩(?: then| too| now|は|では|だと|の場合は|も|って)?(?:どう|どうですか|どうなの)?$`,
);
const UNIT = new RegExp(
  `${LEAD}(?:what(?:'s| is| would) (?:it|that)(?: be)? |how (?:much|hot|warm) is (?:it|that) |convert (?:it|that) )?(?:それを|それは|それ、)?(?:in |to )?(?:degrees )?(?:fahrenheit|華氏|°f)(?:では|だと|で|に|は)*(?:何度|なおして|直して|変換して)?(?:ですか)?$`,
);

/**
 * Completes a follow-up message with the previous goal: "And in Osaka?" after "Weather in Tokyo" asks for the
 * weather in Osaka. Any other message is a goal of its own.
 */
export function wholeGoal(goal: string, context: string | undefined): string {
  const before = [...(context ?? '').matchAll(/^user: (.*)$/gm)].map(([, line = '']) => line);
  return [...before, goal].reduce((earlier, line) => joined(line, earlier), '');
}

function joined(line: string, earlier: string): string {
  if (earlier === '') return line;
  const text = normalised(line);
  if (text.length > 60) return line;
  if (UNIT.test(text))
    return `${earlier.replace(/[?？。.\s]+$/, '')}${/[ぁ-ん]/.test(earlier) ? '、華氏で' : ' in Fahrenheit'}`;
  const [city, ...others] = citiesIn(text);
  const [old, ...more] = citiesIn(earlier.toLowerCase());
  if (city === undefined || old === undefined || others.length + more.length > 0) return line;
  if (!PLACE.test(`${text.slice(0, city.start)}⟨⟩${text.slice(city.end)}`)) return line;
  return earlier.slice(0, old.start) + text.slice(city.start, city.end) + earlier.slice(old.end);
}

/** The result of a given plan in the unit that its goal asks for: 19.5 °C is 67.1 °F. */
export function inAskedUnit(goal: string, result: Json | undefined): string | undefined {
  if (!isObject(result)) return undefined;
  const { temperature_c: celsius, text, result: value } = result;
  const isNumber = typeof celsius === 'number' || typeof value === 'number';
  if (!isNumber || !HEAT.test(normalised(goal))) return undefined;
  if (typeof celsius === 'number') return `${Math.round((celsius * 1.8 + 32) * 100) / 100} °F`;
  return `${String(text ?? value)} °F`;
}
