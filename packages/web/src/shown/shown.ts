import { Fragment } from 'react';
import { unturned } from '#dandori/model/text.ts';

const SAID = ['title', 'aria-label', 'placeholder', 'alt'] as const;

/** The props of an element with nothing in what is read of it that turns the direction of reading. */
export function shown<P>(type: unknown, props: P): P {
  if (!(typeof type === 'string' || type === Fragment) || typeof props !== 'object' || props === null)
    return props;
  const given = props as Readonly<Record<string, unknown>>;
  const changed: Record<string, unknown> = {};
  for (const name of ['children', ...SAID]) {
    const text = shownText(given[name]);
    if (text !== given[name]) changed[name] = text;
  }
  return Object.keys(changed).length === 0 ? props : { ...props, ...changed };
}

function shownText(value: unknown): unknown {
  if (typeof value === 'string') return unturned(value);
  if (!Array.isArray(value)) return value;
  const texts = value.map(shownText);
  return texts.some((text, index) => text !== value[index]) ? texts : value;
}
