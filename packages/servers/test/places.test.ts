import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Host } from './host.ts';

describe('without a network', () => {
  let host: Host;
  beforeAll(async () => {
    host = await Host.start('places');
  });
  afterAll(() => host.stop());

  test('an address leads to a city, and the city to its weather', async () => {
    const place = await host.call('locate_ip', { ip: '203.0.113.10' });
    expect(place.data).toMatchObject({ city: 'Tokyo', country: 'Japan', source: 'offline data file' });
    const weather = await host.call('get_weather', { city: place.data.city });
    expect(weather.data).toMatchObject({ city: 'Tokyo', condition: 'sunny', source: 'offline data file' });
  });

  test('a planner sees that the weather needs nothing but the city', async () => {
    const { tools } = await host.client.listTools();
    expect(tools.find(({ name }) => name === 'get_weather')?.inputSchema.required).toEqual(['city']);
  });

  test.each(['192.0.2.1', '198.51.100.7', '2001:db8::1', '8.8.8.8', '1.1.1.1'])(
    'every known network leads to a city with weather: %s',
    async (ip) => {
      const { data } = await host.call('locate_ip', { ip });
      expect((await host.call('get_weather', { city: data.city })).isError).toBe(false);
    },
  );

  test.each(['東京', '東京都', 'tokyo', 'Tokyo, Japan', 'ＴＯＫＹＯ'])(
    'a city is found by: %s',
    async (city) => {
      expect((await host.call('get_weather', { city })).data.city).toBe('Tokyo');
    },
  );

  test.each([
    ['300.1.1.1', /not an IP address/],
    ['localhost', /not an IP address/],
    ['../../etc', /not an IP address/],
    ['10.0.0.1', /private/],
    ['127.0.0.1', /private/],
    ['::1', /private/],
    ['::ffff:192.168.0.1', /private/],
    ['fe80::1', /private/],
    ['45.45.45.45', /DANDORI_PLACES_IP_API/],
  ])('an address without a place says why: %s', async (ip, reason) => {
    const outcome = await host.call('locate_ip', { ip });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(reason);
  });

  test('an unknown city is answered with the known ones', async () => {
    const outcome = await host.call('get_weather', { city: 'Atlantis' });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain('Osaka, Kyoto');
  });

  test('an unknown city is answered in the language of its name, without the other one', async () => {
    const english = await host.call('get_weather', { city: 'Atlantis' });
    expect(JSON.stringify(english)).not.toMatch(/\p{Script=Han}/u);
    const japanese = await host.call('get_weather', { city: '仙台' });
    expect(JSON.stringify(japanese)).toMatch(
      /「仙台」は同梱のオフラインデータにありません。利用できる都市：東京、/,
    );
  });

  test.each(['10.0.0.1', '9.9.9.9', 'nowhere'])(
    'says in the language of the user why %s has no place',
    async (ip) => {
      const japanese = await host.call('locate_ip', { ip }, { 'dandori/language': 'ja' });
      expect(japanese.isError).toBe(true);
      expect(japanese.text).toMatch(/(?:場所がありません|データにありません|IP アドレスではありません)。/);
      const english = await host.call('locate_ip', { ip }, { 'dandori/language': 'en' });
      expect(english.text).not.toMatch(/\p{Script=Han}/u);
    },
  );
});

describe('with services', () => {
  const replies: Record<string, { status?: number; body: string } | 'silence'> = {
    '/ip/45.45.45.1': {
      body: '{"success":true,"city":"Montreal","region":"Quebec","country":"Canada","latitude":45.5,"longitude":-73.6,"timezone":{"id":"America/Toronto"}}',
    },
    '/ip/45.45.45.2': {
      body: '{"status":"success","city":"Kobe","regionName":"Hyogo","country":"Japan","lat":34.7,"lon":135.2,"timezone":"Asia/Tokyo"}',
    },
    '/ip/45.45.45.3': { body: '{"success":false,"message":"reserved range"}' },
    '/ip/45.45.45.4': { status: 500, body: 'oops' },
    '/ip/45.45.45.5': { body: '<html>' },
    '/ip/45.45.45.6': { body: '{"hello":1}' },
    '/ip/45.45.45.7': 'silence',
    '/v1/search?Kobe': {
      body: '{"results":[{"name":"Kobe","country":"Japan","latitude":34.69,"longitude":135.18}]}',
    },
    '/v1/search?Nowhere': { body: '{"generationtime_ms":1}' },
    '/v1/forecast': {
      body: '{"current":{"time":"2026-05-01T03:00","temperature_2m":18.2,"relative_humidity_2m":55,"weather_code":61,"wind_speed_10m":9.4}}',
    },
  };
  const asked: string[] = [];
  let service: Server;
  let base: string;
  let host: Host;

  beforeAll(async () => {
    service = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      asked.push(url.pathname + url.search);
      const name = url.searchParams.get('name');
      const reply = replies[url.pathname + (name ? `?${name}` : '')] ?? { status: 404, body: '' };
      if (reply !== 'silence') response.writeHead(reply.status ?? 200).end(reply.body);
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    host = await Host.start('places', {
      env: {
        DANDORI_PLACES_IP_API: `${base}/ip`,
        DANDORI_PLACES_WEATHER_API: base,
        DANDORI_PLACES_TIMEOUT_MS: '2000',
      },
    });
  });
  afterAll(async () => {
    await host.stop();
    service.closeAllConnections();
    service.close();
  });

  test('an address is located by a service like ipwho.is', async () => {
    expect((await host.call('locate_ip', { ip: '45.45.45.1' })).data).toEqual({
      ip: '45.45.45.1',
      city: 'Montreal',
      region: 'Quebec',
      country: 'Canada',
      latitude: 45.5,
      longitude: -73.6,
      time_zone: 'America/Toronto',
      source: `${base}/ip`,
    });
  });

  test('an address is located by a service like ip-api.com', async () => {
    expect((await host.call('locate_ip', { ip: '45.45.45.2' })).data).toMatchObject({
      city: 'Kobe',
      region: 'Hyogo',
    });
  });

  test('the weather comes from the service, with a source and a time', async () => {
    expect((await host.call('get_weather', { city: 'Kobe' })).data).toEqual({
      city: 'Kobe',
      country: 'Japan',
      temperature_c: 18.2,
      condition: 'rain',
      condition_ja: '雨',
      humidity: 55,
      wind_kmh: 9.4,
      observed_at: '2026-05-01T03:00Z',
      source: base,
    });
  });

  test('known coordinates save the question where the city is', async () => {
    asked.length = 0;
    await host.call('get_weather', { city: 'Kobe', latitude: 34.7, longitude: 135.2 });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('latitude=34.7');
  });

  test.each([
    ['45.45.45.3', /reserved range/],
    ['45.45.45.4', /HTTP 500/],
    ['45.45.45.5', /did not answer with JSON/],
    ['45.45.45.6', /unexpected shape/],
    ['45.45.45.7', /did not answer within 2 s/],
  ])('a broken service is named instead of a made-up place: %s', async (ip, reason) => {
    const outcome = await host.call('locate_ip', { ip });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(reason);
  });

  test('a private address never leaves this machine', async () => {
    asked.length = 0;
    await host.call('locate_ip', { ip: '192.168.1.20' });
    expect(asked).toEqual([]);
  });

  test('a city the service does not know is an error', async () => {
    expect((await host.call('get_weather', { city: 'Nowhere' })).text).toContain('knows no city "Nowhere"');
  });

  test('a service that is down is an error, and hosts see that the tools leave the machine', async () => {
    const other = await Host.start('places', { env: { DANDORI_PLACES_IP_API: 'http://127.0.0.1:1' } });
    const outcome = await other.call('locate_ip', { ip: '45.45.45.1' });
    const { tools } = await other.client.listTools();
    await other.stop();
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toContain('cannot be reached');
    expect(tools.map(({ annotations }) => annotations?.openWorldHint)).toEqual([true, false]);
  });
});
