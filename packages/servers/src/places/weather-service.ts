import { z } from 'zod';
import { SaidError } from '../said.ts';
import { getJson } from './http-json.ts';
import type { Weather } from './place.ts';

interface Position {
  latitude: number;
  longitude: number;
}

const PUBLIC_GEOCODING = 'https://geocoding-api.open-meteo.com';
const FIELDS = 'temperature_2m,relative_humidity_2m,weather_code,wind_speed_10m';

const geocoding = z.object({
  results: z
    .array(
      z.object({
        name: z.string(),
        country: z.string().optional(),
        latitude: z.number(),
        longitude: z.number(),
      }),
    )
    .optional(),
});
const forecast = z.object({
  utc_offset_seconds: z.number().optional(),
  current: z.object({
    time: z.string(),
    temperature_2m: z.number(),
    relative_humidity_2m: z.number(),
    weather_code: z.number(),
    wind_speed_10m: z.number(),
  }),
});

/** Asks a service that answers like Open-Meteo, first for the position of the city if it is unknown. */
export async function weatherOnline(
  base: string,
  city: string,
  position: Position | undefined,
  signal: AbortSignal,
): Promise<Weather> {
  const place = position
    ? { name: city, country: undefined, ...position }
    : await geocode(base, city, signal);
  const url = new URL(`${base.replace(/\/+$/, '')}/v1/forecast`);
  url.search = new URLSearchParams({
    latitude: String(place.latitude),
    longitude: String(place.longitude),
    current: FIELDS,
    wind_speed_unit: 'kmh',
    timezone: 'GMT',
  }).toString();
  const { current } = await getJson(url, forecast, signal);
  const [condition, conditionJa] = conditionOf(current.weather_code);
  return {
    city: place.name,
    ...(place.country ? { country: place.country } : {}),
    temperature_c: current.temperature_2m,
    condition,
    condition_ja: conditionJa,
    humidity: current.relative_humidity_2m,
    wind_kmh: current.wind_speed_10m,
    observed_at: `${current.time}Z`,
    source: base,
  };
}

async function geocode(base: string, city: string, signal: AbortSignal) {
  const isPublic = new URL(base).hostname === 'api.open-meteo.com';
  const host = process.env.DANDORI_PLACES_GEOCODING_API ?? (isPublic ? PUBLIC_GEOCODING : base);
  const url = new URL(`${host.replace(/\/+$/, '')}/v1/search`);
  const language = /[^\x20-\x7e]/.test(city) ? 'ja' : 'en';
  url.search = new URLSearchParams({ name: city, count: '1', language, format: 'json' }).toString();
  const found = (await getJson(url, geocoding, signal)).results?.[0];
  if (!found)
    throw new SaidError({
      en: `${host} knows no city "${city}". Check the spelling.`,
      ja: `${host} では都市「${city}」が見つかりません。表記を確認してください。`,
    });
  return found;
}

/** WMO weather interpretation codes, as Open-Meteo sends them. */
function conditionOf(code: number): [string, string] {
  if (code === 0) return ['sunny', '晴れ'];
  if (code <= 2) return ['partly cloudy', '晴れ時々曇り'];
  if (code === 3) return ['cloudy', '曇り'];
  if (code === 45 || code === 48) return ['fog', '霧'];
  if (code >= 51 && code <= 57) return ['drizzle', '霧雨'];
  if (code >= 61 && code <= 67) return ['rain', '雨'];
  if ((code >= 71 && code <= 77) || code === 85 || code === 86) return ['snow', '雪'];
  if (code >= 80 && code <= 82) return ['showers', 'にわか雨'];
  if (code >= 95) return ['thunderstorm', '雷雨'];
  return [`unknown (code ${code})`, `不明 (コード ${code})`];
}
