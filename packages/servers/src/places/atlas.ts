import { BlockList } from 'node:net';
import { isJapanese } from '../japanese.ts';
import { SaidError } from '../said.ts';
import { familyOf } from './address.ts';
import atlas from './atlas.json' with { type: 'json' };
import type { Place, Weather } from './place.ts';

type City = (typeof atlas.cities)[number];

const SOURCE = 'offline data file';

export function locateOffline(ip: string): Place {
  const network = atlas.networks.find(({ address, prefix }) => contains(address, prefix, ip));
  const city = network && atlas.cities.find(({ name }) => name === network.city);
  if (!city) {
    const known = atlas.networks.map(({ address, prefix }) => `${address}/${prefix}`);
    throw new SaidError({
      en:
        `${ip} is not in the offline data file. Set DANDORI_PLACES_IP_API (e.g. https://ipwho.is) to ask a service; ` +
        `known offline: ${known.join(', ')}.`,
      ja:
        `${ip} は同梱のオフラインデータにありません。利用できるアドレス：${known.join('、')}。` +
        'ほかのアドレスには DANDORI_PLACES_IP_API（例：https://ipwho.is）を設定してください。',
    });
  }
  return {
    ip,
    city: city.name,
    region: city.region,
    country: city.country,
    country_ja: city.country_ja,
    latitude: city.latitude,
    longitude: city.longitude,
    time_zone: city.time_zone,
    source: SOURCE,
  };
}

export function findCity(name: string): City {
  const wanted = simplified(name);
  const city = atlas.cities.find((known) =>
    [known.name, known.name_ja, ...known.aliases].some((it) => simplified(it) === wanted),
  );
  if (city) return city;
  throw new SaidError(
    {
      en:
        `"${name}" is not in the offline data file. Known cities: ${atlas.cities.map((each) => each.name).join(', ')}. ` +
        'Set DANDORI_PLACES_WEATHER_API (e.g. https://api.open-meteo.com) for other cities.',
      ja:
        `「${name}」は同梱のオフラインデータにありません。利用できる都市：${atlas.cities.map((each) => each.name_ja).join('、')}。` +
        'ほかの都市には DANDORI_PLACES_WEATHER_API（例：https://api.open-meteo.com）を設定してください。',
    },
    isJapanese(name) ? 'ja' : 'en',
  );
}

export function weatherOffline(city: City): Weather {
  return {
    city: city.name,
    country: city.country,
    ...city.weather,
    observed_at: atlas.as_of,
    source: SOURCE,
  };
}

function contains(network: string, prefix: number, ip: string): boolean {
  const list = new BlockList();
  list.addSubnet(network, prefix, familyOf(network));
  return familyOf(network) === familyOf(ip) && list.check(ip, familyOf(ip));
}

function simplified(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .split(',', 1)
    .join('')
    .replace(/[\s._-]+/g, '')
    .replace(/(?<=[\p{Script=Han}\p{Script=Katakana}])[都府市県]$/u, '');
}
