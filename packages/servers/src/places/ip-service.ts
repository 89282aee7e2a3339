import { z } from 'zod';
import { SaidError } from '../said.ts';
import { getJson } from './http-json.ts';
import type { Place } from './place.ts';

const reply = z.union([
  z.object({
    success: z.literal(true),
    city: z.string(),
    region: z.string().optional(),
    country: z.string(),
    latitude: z.number(),
    longitude: z.number(),
    timezone: z.object({ id: z.string() }).optional(),
  }),
  z.object({
    status: z.literal('success'),
    city: z.string(),
    regionName: z.string().optional(),
    country: z.string(),
    lat: z.number(),
    lon: z.number(),
    timezone: z.string().optional(),
  }),
  z.object({ success: z.literal(false), message: z.string().optional() }),
  z.object({ status: z.literal('fail'), message: z.string().optional() }),
]);

/** Asks a service that answers like ipwho.is or ip-api.com at {base}/{ip}. */
export async function locateOnline(base: string, ip: string, signal: AbortSignal): Promise<Place> {
  const url = new URL(`${base.replace(/\/+$/, '')}/${encodeURIComponent(ip)}`);
  const found = await getJson(url, reply, signal);
  if ('latitude' in found) {
    const { city, region, country, latitude, longitude, timezone } = found;
    return place({ ip, city, country, latitude, longitude, source: base }, region, timezone?.id);
  }
  if ('lat' in found) {
    const { city, regionName, country, lat, lon, timezone } = found;
    return place({ ip, city, country, latitude: lat, longitude: lon, source: base }, regionName, timezone);
  }
  const reason = found.message ? `: ${found.message}` : '';
  throw new SaidError({
    en: `${base} knows no place for ${ip}${reason}. Try another address.`,
    ja: `${base} では ${ip} の場所が見つかりません${reason}。ほかのアドレスを指定してください。`,
  });
}

function place(known: Place, region: string | undefined, timeZone: string | undefined): Place {
  return { ...known, ...(region ? { region } : {}), ...(timeZone ? { time_zone: timeZone } : {}) };
}
