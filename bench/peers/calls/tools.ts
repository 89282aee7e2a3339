import { readFileSync } from 'node:fs';
import type { Json, JsonObject, Tool } from 'dandori';

/** The twelve tools of the servers that ship with Dandori, with the schemas that their servers give. */
export const TOOLS = JSON.parse(
  readFileSync(
    new URL('../../../packages/dandori/test/mind/built-in/shipped-tools.json', import.meta.url),
    'utf8',
  ),
) as readonly Tool[];

/** What a call gives, the same for every caller: the numbers come from the arguments. */
export function resultOf(tool: string, args: JsonObject): Json {
  const words = Object.values(args).join(' ');
  const number = [...words].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 997, 7);
  switch (tool) {
    case 'places.locate_ip':
      return {
        ip: words,
        city: CITIES[number % CITIES.length] ?? '',
        region: 'Kansai',
        country: 'Japan',
        latitude: 34 + (number % 100) / 100,
        longitude: 135 + (number % 90) / 100,
        time_zone: 'Asia/Tokyo',
        source: 'offline data file',
      };
    case 'places.get_weather':
      return {
        city: words,
        country: 'Japan',
        temperature_c: number % 30,
        condition: 'sunny',
        condition_ja: '晴れ',
        humidity: 40 + (number % 40),
        wind_kmh: number % 25,
        observed_at: '2026-11-16',
        source: 'offline data file',
      };
    case 'calc.evaluate':
      return { expression: words, result: number, text: String(number) };
    default:
      throw new Error(`no case calls ${tool}`);
  }
}

const CITIES = ['Osaka', 'Kyoto', 'Nara', 'Kobe', 'Otsu', 'Himeji', 'Sakai', 'Wakayama'];
