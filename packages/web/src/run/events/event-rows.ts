import type { Event, FactType } from '#dandori/model/event.ts';
import { stringifyJson } from '#dandori/model/json.ts';

export const ALL = 'all';
export type TypeFilter = FactType | typeof ALL;

/** The event types of this run, by first occurrence. */
export function typesIn(events: readonly Event[]): FactType[] {
  return [...new Set(events.map(({ type }) => type))];
}

/** The events of a type that contain all words. */
export function eventRows(
  events: readonly Event[],
  { text, type }: { readonly text: string; readonly type: TypeFilter },
): readonly Event[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && type === ALL) return events;
  return events.filter((event) => {
    if (type !== ALL && event.type !== type) return false;
    if (words.length === 0) return true;
    const searched = searchedText(event);
    return words.every((word) => searched.includes(word));
  });
}

/** Events never change, so each is serialized once instead of with every key press. */
const written = new WeakMap<Event, string>();

function searchedText(event: Event): string {
  const known = written.get(event);
  if (known !== undefined) return known;
  const text = `${event.seq} ${event.type} ${stringifyJson(event.data)}`.toLowerCase();
  written.set(event, text);
  return text;
}
