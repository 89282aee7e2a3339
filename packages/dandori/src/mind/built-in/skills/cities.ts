import type { Language } from '../../../model/text.ts';

/** Cities and their time zones: English and Japanese names, then the zone. */
const CITIES = `
tokyo 東京 とうきょう 日本 japan japanese jst=Asia/Tokyo osaka 大阪 おおさか=Asia/Tokyo kyoto 京都 きょうと=Asia/Tokyo sapporo 札幌=Asia/Tokyo
fukuoka 福岡=Asia/Tokyo naha 那覇 沖縄 okinawa=Asia/Tokyo nagoya 名古屋=Asia/Tokyo yokohama 横浜=Asia/Tokyo kobe 神戸=Asia/Tokyo
sendai 仙台=Asia/Tokyo hiroshima 広島=Asia/Tokyo london ロンドン イギリス 英国 uk england british=Europe/London paris パリ フランス france=Europe/Paris
berlin ベルリン ドイツ germany german cet=Europe/Berlin munich ミュンヘン=Europe/Berlin frankfurt フランクフルト=Europe/Berlin hamburg ハンブルク=Europe/Berlin madrid マドリード スペイン spain=Europe/Madrid barcelona バルセロナ=Europe/Madrid rome ローマ italy イタリア=Europe/Rome milan ミラノ=Europe/Rome
amsterdam アムステルダム=Europe/Amsterdam zurich チューリッヒ=Europe/Zurich vienna ウィーン=Europe/Vienna stockholm ストックホルム=Europe/Stockholm
moscow モスクワ=Europe/Moscow istanbul イスタンブール=Europe/Istanbul dubai ドバイ=Asia/Dubai mumbai ムンバイ=Asia/Kolkata delhi デリー=Asia/Kolkata
india インド indian ist=Asia/Kolkata bangkok バンコク タイ thailand=Asia/Bangkok hanoi ハノイ ベトナム vietnam=Asia/Ho_Chi_Minh ho_chi_minh ホーチミン=Asia/Ho_Chi_Minh kathmandu カトマンズ ネパール nepal=Asia/Kathmandu jakarta ジャカルタ=Asia/Jakarta singapore シンガポール=Asia/Singapore
hong_kong 香港=Asia/Hong_Kong taipei 台北 台湾=Asia/Taipei shanghai 上海=Asia/Shanghai beijing 北京 中国 china chinese=Asia/Shanghai seoul ソウル 韓国 korea korean=Asia/Seoul
manila マニラ=Asia/Manila sydney シドニー=Australia/Sydney melbourne メルボルン=Australia/Melbourne auckland オークランド ニュージーランド new_zealand=Pacific/Auckland
honolulu ホノルル ハワイ hawaii=Pacific/Honolulu new_york ニューヨーク nyc est edt=America/New_York boston ボストン=America/New_York
washington ワシントン=America/New_York toronto トロント=America/Toronto chicago シカゴ=America/Chicago denver デンバー=America/Denver
los_angeles ロサンゼルス ロス la pst pdt california カリフォルニア=America/Los_Angeles san_francisco サンフランシスコ=America/Los_Angeles mountain_view マウンテンビュー=America/Los_Angeles
seattle シアトル=America/Los_Angeles vancouver バンクーバー=America/Vancouver mexico_city メキシコシティ=America/Mexico_City
sao_paulo サンパウロ=America/Sao_Paulo cairo カイロ=Africa/Cairo nairobi ナイロビ=Africa/Nairobi kuala_lumpur クアラルンプール マレーシア malaysia=Asia/Kuala_Lumpur miami マイアミ=America/New_York atlanta アトランタ=America/New_York
dallas ダラス=America/Chicago houston ヒューストン=America/Chicago austin オースティン=America/Chicago las_vegas ラスベガス=America/Los_Angeles san_diego サンディエゴ=America/Los_Angeles portland ポートランド=America/Los_Angeles lisbon リスボン=Europe/Lisbon
dublin ダブリン=Europe/Dublin helsinki ヘルシンキ=Europe/Helsinki copenhagen コペンハーゲン=Europe/Copenhagen oslo オスロ=Europe/Oslo brussels ブリュッセル=Europe/Brussels
athens アテネ=Europe/Athens perth パース=Australia/Perth brisbane ブリスベン=Australia/Brisbane guam グアム=Pacific/Guam rio リオ=America/Sao_Paulo cape_town ケープタウン=Africa/Johannesburg utc gmt 協定世界時=UTC
`;

export interface City {
  readonly english: string;
  readonly japanese: string;
  readonly zone: string;
  /** The position in the text. */
  readonly start: number;
  readonly end: number;
}

const ENTRIES = CITIES.trim()
  .split(/(?<==\S+)\s+/)
  .map((entry) => {
    const [names = '', zone = ''] = entry.split('=');
    const all = names
      .trim()
      .split(/\s+/)
      .map((name) => name.replaceAll('_', ' '));
    const english = all[0] ?? '';
    const japanese = all.find((name) => /[^\u0020-\u007f]/.test(name)) ?? english;
    const forms = all.map((name) => (/^[a-z ]+$/.test(name) ? `\\b${name}\\b` : name));
    return { english, japanese, zone, form: new RegExp(forms.join('|'), 'g') };
  });

/** Words that are also the last part of a zone name. */
const WORDS = new Set(
  'center easter troll nome palmer casey davis wake jersey reunion midway guam chatham vincennes christmas'.split(
    ' ',
  ),
);
const ZONES = Intl.supportedValuesOf('timeZone');

/** `asia/tokyo`, as users write it, and the city at the end of a zone: kathmandu. */
function zonesIn(text: string): City[] {
  const cities = ZONES.flatMap((zone) => {
    const name = zone.split('/').at(-1)?.toLowerCase().replaceAll('_', ' ') ?? '';
    if (!zone.includes('/') || name.length < 4 || WORDS.has(name) || !text.includes(name)) return [];
    const start = text.search(new RegExp(`\\b${name}\\b`));
    return start < 0 ? [] : [{ english: name, japanese: zone, zone, start, end: start + name.length }];
  });
  const written = [...text.matchAll(/[a-z]+(?:\/[a-z_+\-0-9]+)+/g)].flatMap(({ 0: name, index: start }) => {
    const zone = ZONES.find((own) => own.toLowerCase() === name);
    return zone === undefined
      ? []
      : [{ english: name, japanese: zone, zone, start, end: start + name.length }];
  });
  return [...cities, ...written];
}

/** The cities in a text, in the order of appearance. */
export function citiesIn(text: string): City[] {
  const found = ENTRIES.flatMap(({ form, ...city }) =>
    [...text.matchAll(form)].map((match) => ({
      ...city,
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
  const listed = zonesIn(text).filter(({ start }) => !found.some((city) => city.start === start));
  const all = [...found, ...listed];
  const isInside = (one: City, other: City) =>
    other.start <= one.start && one.end <= other.end && one.end - one.start < other.end - other.start;
  return all
    .filter((city) => !all.some((other) => isInside(city, other)))
    .sort((one, other) => one.start - other.start);
}

export function titled(city: Pick<City, 'english' | 'japanese'>, language: Language): string {
  if (language === 'ja') return city.japanese;
  return city.english === 'utc'
    ? 'UTC'
    : city.english.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
