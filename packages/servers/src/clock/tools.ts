import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { spoken } from '../said.ts';
import { type Moment, momentAt, parseInstant } from './moment.ts';
import { machineZone, resolveZone } from './zone.ts';

const ZONE = 'IANA time zone (タイムゾーン) such as "Asia/Tokyo", "America/New_York" or "UTC"';

const momentFields = {
  time_zone: z.string().describe('IANA time zone (タイムゾーン)'),
  iso: z.string().describe('ISO 8601 date and time with offset, e.g. 2026-05-01T09:30:00+09:00'),
  date: z.string().describe('Local date YYYY-MM-DD (日付)'),
  time: z.string().describe('Local time HH:MM:SS (時刻)'),
  weekday: z.string().describe('Weekday in English (曜日)'),
  weekday_ja: z.string().describe('Weekday in Japanese (曜日)'),
  utc_offset: z.string().describe('Offset from UTC, e.g. +09:00 (時差)'),
  unix_ms: z.number().int().describe('Milliseconds since 1970-01-01T00:00:00Z'),
};

export const currentTimeInput = z.strictObject({
  time_zone: z.string().max(100).optional().describe(`${ZONE}. Default: the zone of this machine`),
});

export const convertTimeInput = z.strictObject({
  time: z
    .string()
    .min(1)
    .max(40)
    .describe(
      'Time to convert (変換する時刻): "HH:MM" (today) or "YYYY-MM-DDTHH:MM", optionally with an offset',
    ),
  from_time_zone: z.string().min(1).max(100).describe(`The zone the time is in (変換元). ${ZONE}`),
  to_time_zone: z.string().min(1).max(100).describe(`The zone to convert to (変換先). ${ZONE}`),
});

export function currentTime({ time_zone }: z.infer<typeof currentTimeInput>): CallToolResult {
  const now = momentAt(Date.now(), time_zone ? resolveZone(time_zone) : machineZone());
  return answer({ ...now }, describe(now));
}

export function convertTime(input: z.infer<typeof convertTimeInput>): CallToolResult {
  const source = resolveZone(input.from_time_zone);
  const target = resolveZone(input.to_time_zone);
  const { unixMs, note } = parseInstant(input.time, source, Date.now());
  const from = momentAt(unixMs, source);
  const to = momentAt(unixMs, target);
  const text = `${describe(from)} = ${describe(to)}${note ? `. ${note}` : ''}`;
  return answer({ ...to, from, ...(note ? { note } : {}) }, text);
}

export function registerTools(server: McpServer): void {
  server.registerTool(
    'get_current_time',
    {
      title: 'Current time (現在時刻)',
      description:
        'Get the current date, time and weekday, now, in a time zone. ' +
        '現在時刻 (current time): 今の時間・今何時・今日の日付・曜日を調べる. The answer is different on every call.',
      inputSchema: currentTimeInput,
      outputSchema: z.object(momentFields),
      annotations: READ_ONLY,
    },
    spoken(currentTime),
  );

  server.registerTool(
    'convert_time',
    {
      title: 'Convert time between zones (時刻変換)',
      description:
        'Convert a time from one time zone to another. ' +
        '時刻変換・時差 (convert time, time difference): ある都市の時間を別の都市の現地時間に変換する.',
      inputSchema: convertTimeInput,
      outputSchema: z.object({
        ...momentFields,
        from: z.object(momentFields).describe('The same moment in from_time_zone (変換元の時刻)'),
        note: z.string().optional().describe('Present if clocks are put back and the time happens twice'),
      }),
      annotations: READ_ONLY,
    },
    spoken(convertTime),
  );
}

function describe(moment: Moment): string {
  return `${moment.date} (${moment.weekday}) ${moment.time} ${moment.time_zone} (UTC${moment.utc_offset})`;
}
