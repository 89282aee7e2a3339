import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { spoken } from '../said.ts';
import { requirePublicAddress } from './address.ts';
import { findCity, locateOffline, weatherOffline } from './atlas.ts';
import { locateOnline } from './ip-service.ts';
import { weatherOnline } from './weather-service.ts';

const { DANDORI_PLACES_IP_API: ipService, DANDORI_PLACES_WEATHER_API: weatherService } = process.env;

export function registerTools(server: McpServer): void {
  server.registerTool(
    'locate_ip',
    {
      title: 'Locate an IP address (IPアドレスの場所)',
      description:
        'Find the city, country and coordinates of an IP address. ' +
        'IPアドレスから場所・位置・都市・国を調べる (geolocation: locate an IP address, which city it is in).',
      inputSchema: z.strictObject({
        ip: z.string().min(2).max(60).describe('Public IPv4 or IPv6 address (IPアドレス), e.g. 203.0.113.10'),
      }),
      outputSchema: z.object({
        ip: z.string().describe('The IP address (IPアドレス)'),
        city: z.string().describe('City (都市)'),
        region: z.string().optional().describe('Region or prefecture (地域・都道府県)'),
        country: z.string().describe('Country (国)'),
        country_ja: z.string().optional().describe('国名'),
        latitude: z.number().describe('Latitude in degrees (緯度)'),
        longitude: z.number().describe('Longitude in degrees (経度)'),
        time_zone: z.string().optional().describe('IANA time zone (タイムゾーン)'),
        source: z.string().describe('"offline data file" or the base URL of the service asked (出典)'),
      }),
      annotations: { ...READ_ONLY, openWorldHint: Boolean(ipService) },
    },
    spoken(async ({ ip }, context) => {
      const address = requirePublicAddress(ip);
      const place = ipService
        ? await locateOnline(ipService, address, context.mcpReq.signal)
        : locateOffline(address);
      return answer({ ...place }, `${address}: ${place.city}, ${place.country} (${place.source})`);
    }),
  );

  server.registerTool(
    'get_weather',
    {
      title: 'Weather of a city (天気)',
      description:
        'Get the weather of a city: temperature, condition, humidity and wind. ' +
        '天気 (weather): 都市の天気・気温・湿度・風を調べる. City names in English or Japanese (東京, 大阪, ...).',
      inputSchema: z.strictObject({
        city: z.string().min(1).max(100).describe('City name (都市名), e.g. Tokyo or 東京'),
        latitude: z
          .number()
          .min(-90)
          .max(90)
          .optional()
          .describe('Latitude if known (緯度); used with longitude'),
        longitude: z
          .number()
          .min(-180)
          .max(180)
          .optional()
          .describe('Longitude if known (経度); used with latitude'),
      }),
      outputSchema: z.object({
        city: z.string().describe('City (都市)'),
        country: z.string().optional().describe('Country (国)'),
        temperature_c: z.number().describe('Temperature in °C (気温)'),
        condition: z.string().describe('Condition in English (天候), e.g. sunny'),
        condition_ja: z.string().describe('天候 in Japanese, e.g. 晴れ'),
        humidity: z.number().describe('Relative humidity in % (湿度)'),
        wind_kmh: z.number().describe('Wind speed in km/h (風速)'),
        observed_at: z
          .string()
          .describe('ISO 8601 time of the values (観測時刻); offline: the date of the data file'),
        source: z
          .string()
          .describe('"offline data file" (typical, not current weather) or the base URL (出典)'),
      }),
      annotations: { ...READ_ONLY, openWorldHint: Boolean(weatherService) },
    },
    spoken(async ({ city, latitude, longitude }, context) => {
      const position =
        latitude !== undefined && longitude !== undefined ? { latitude, longitude } : undefined;
      const weather = weatherService
        ? await weatherOnline(weatherService, city, position, context.mcpReq.signal)
        : weatherOffline(findCity(city));
      const { condition, condition_ja, temperature_c, humidity, wind_kmh, source } = weather;
      return answer(
        { ...weather },
        `${weather.city}: ${condition} (${condition_ja}), ${temperature_c} °C, ${humidity} %, ${wind_kmh} km/h (${source})`,
      );
    }),
  );
}
