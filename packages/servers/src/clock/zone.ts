import { SaidError } from '../said.ts';

/** Japanese city names, which IANA does not have. */
const JAPANESE_NAMES = new Map(
  Object.entries({
    日本: 'Asia/Tokyo',
    東京: 'Asia/Tokyo',
    大阪: 'Asia/Tokyo',
    ソウル: 'Asia/Seoul',
    北京: 'Asia/Shanghai',
    上海: 'Asia/Shanghai',
    香港: 'Asia/Hong_Kong',
    台北: 'Asia/Taipei',
    シンガポール: 'Asia/Singapore',
    バンコク: 'Asia/Bangkok',
    デリー: 'Asia/Kolkata',
    ドバイ: 'Asia/Dubai',
    シドニー: 'Australia/Sydney',
    ロンドン: 'Europe/London',
    パリ: 'Europe/Paris',
    ベルリン: 'Europe/Berlin',
    モスクワ: 'Europe/Moscow',
    ニューヨーク: 'America/New_York',
    シカゴ: 'America/Chicago',
    ロサンゼルス: 'America/Los_Angeles',
    サンフランシスコ: 'America/Los_Angeles',
    ハワイ: 'Pacific/Honolulu',
    ホノルル: 'Pacific/Honolulu',
  }),
);
const SUGGESTIONS = 3;

export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Accepts an IANA name in any case, or a city that is the last part of exactly one name. */
export function resolveZone(name: string): string {
  const wanted = name.normalize('NFKC').trim();
  const canonical = canonicalZone(JAPANESE_NAMES.get(wanted) ?? wanted);
  if (canonical) return canonical;
  const zones = Intl.supportedValuesOf('timeZone');
  const city = simplified(wanted);
  const sameCity = zones.filter((zone) => simplified(cityOf(zone)) === city);
  const [only] = sameCity;
  if (only && sameCity.length === 1) return only;
  const near = nearest(city, zones);
  throw new SaidError({
    en: `Unknown time zone "${name}". Did you mean ${near.join(', ')}? Send an IANA name such as "Asia/Tokyo".`,
    ja: `タイムゾーン「${name}」が見つかりません。候補：${near.join('、')}。「Asia/Tokyo」のような IANA 名で指定してください。`,
  });
}

function canonicalZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function nearest(wanted: string, zones: string[]): string[] {
  const wantedCity = wanted.split('/').at(-1) ?? wanted;
  return zones
    .map((zone) => {
      const whole = simplified(zone);
      const city = simplified(cityOf(zone));
      const isPart = wantedCity.length > 2 && whole.includes(wantedCity);
      const distance = Math.min(editDistance(wanted, whole), editDistance(wantedCity, city) + 0.5);
      return { zone, distance: isPart ? Math.min(distance, 1) : distance };
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS)
    .map(({ zone }) => zone);
}

function cityOf(zone: string): string {
  return zone.split('/').at(-1) ?? zone;
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '_');
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
