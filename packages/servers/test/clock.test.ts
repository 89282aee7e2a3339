import { afterAll, beforeAll, expect, test } from 'vitest';
import { Host } from './host.ts';

let host: Host;
beforeAll(async () => {
  host = await Host.start('clock');
});
afterAll(() => host.stop());

test('the current time is now, in the zone of the machine', async () => {
  const before = Date.now();
  const { data } = await host.call('get_current_time');
  expect(data).toMatchObject({ time_zone: 'Asia/Tokyo', utc_offset: '+09:00' });
  expect(data.unix_ms).toBeGreaterThanOrEqual(before);
  expect(data.unix_ms).toBeLessThanOrEqual(Date.now());
  expect(Math.floor(Date.parse(String(data.iso)) / 1000)).toBe(Math.floor(Number(data.unix_ms) / 1000));
  expect(String(data.iso)).toBe(`${data.date}T${data.time}+09:00`);
});

test.each([
  ['asia/tokyo', 'Asia/Tokyo'],
  ['New York', 'America/New_York'],
  ['東京', 'Asia/Tokyo'],
  ['UTC', 'UTC'],
])('a zone is found by the name people use: %s', async (name, zone) => {
  expect((await host.call('get_current_time', { time_zone: name })).data.time_zone).toBe(zone);
});

test('a misspelt zone is answered with the nearest names, not with the wrong time', async () => {
  const outcome = await host.call('get_current_time', { time_zone: 'Asia/Tokio' });
  expect(outcome.isError).toBe(true);
  expect(outcome.text).toContain('Asia/Tokyo');
});

test('a meeting time is right on the other side of the world, the day included', async () => {
  const { data } = await host.call('convert_time', {
    time: '2026-07-01T09:30',
    from_time_zone: 'Asia/Tokyo',
    to_time_zone: 'America/New_York',
  });
  expect(data).toMatchObject({
    iso: '2026-06-30T20:30:00-04:00',
    weekday: 'Tuesday',
    weekday_ja: '火曜日',
    from: { iso: '2026-07-01T09:30:00+09:00', weekday: 'Wednesday', weekday_ja: '水曜日' },
  });
});

test('a time without a date means today in the zone it is given in', async () => {
  const { data } = await host.call('convert_time', {
    time: '15:00',
    from_time_zone: 'Asia/Tokyo',
    to_time_zone: 'Asia/Kolkata',
  });
  expect(data).toMatchObject({ time: '11:30:00', utc_offset: '+05:30' });
});

test('the hour that clocks skip is refused, the hour they repeat is pointed out', async () => {
  const zones = { from_time_zone: 'America/New_York', to_time_zone: 'UTC' };
  const skipped = await host.call('convert_time', { time: '2026-03-08T02:30', ...zones });
  expect(skipped.isError).toBe(true);
  expect(skipped.text).toContain('does not exist');
  const repeated = await host.call('convert_time', { time: '2026-11-01T01:30', ...zones });
  expect(repeated.data).toMatchObject({ iso: '2026-11-01T05:30:00+00:00' });
  expect(repeated.data.note).toContain('happens twice');
});

test.each(['25:00', '2026-02-30T10:00', 'tomorrow', ''])(
  'nonsense is not taken for a time: "%s"',
  async (time) => {
    const outcome = await host.call('convert_time', { time, from_time_zone: 'UTC', to_time_zone: 'UTC' });
    expect(outcome.isError).toBe(true);
  },
);
