/** Cities whose Japanese names stand in goals about time zones; the second is the last part of the IANA name. */
const CITIES = new Map(
  Object.entries({
    東京: 'tokyo',
    日本: 'tokyo',
    ロンドン: 'london',
    イギリス: 'london',
    パリ: 'paris',
    フランス: 'paris',
    ニューヨーク: 'new_york',
    ロサンゼルス: 'los_angeles',
    シカゴ: 'chicago',
    ベルリン: 'berlin',
    ドイツ: 'berlin',
    ローマ: 'rome',
    イタリア: 'rome',
    マドリード: 'madrid',
    モスクワ: 'moscow',
    ソウル: 'seoul',
    韓国: 'seoul',
    上海: 'shanghai',
    北京: 'shanghai',
    中国: 'shanghai',
    香港: 'hong_kong',
    台北: 'taipei',
    台湾: 'taipei',
    シンガポール: 'singapore',
    バンコク: 'bangkok',
    シドニー: 'sydney',
    ドバイ: 'dubai',
    トロント: 'toronto',
    ホノルル: 'honolulu',
    ハワイ: 'honolulu',
  }),
);

/** The last part of the IANA name for a city with a well-known Japanese name. */
export function cityForZone(name: string): string | undefined {
  return CITIES.get(name);
}
