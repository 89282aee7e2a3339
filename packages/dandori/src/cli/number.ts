import { DandoriError } from '../domain/error.ts';

/** The number of an event, as it is typed behind an option. */
export function eventNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new DandoriError('usage', `${option} takes the number of an event, not "${text}".`, {
    fix: '`dandori log` shows the number of each event first.',
  });
}
