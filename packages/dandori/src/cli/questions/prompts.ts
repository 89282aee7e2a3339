import { setTimeout as sleep } from 'node:timers/promises';
import { confirm, isCancel, multiselect, select } from '@clack/prompts';
import type { Texts } from '../texts.ts';

/** The prompt library's own texts are English, so the texts of the run's language are passed in. */
interface Shown {
  readonly message: string;
  readonly texts: Texts;
  readonly signal?: AbortSignal | undefined;
}

interface Item<Value> {
  readonly value: Value;
  readonly label: string;
}

/** Milliseconds. A key that was pressed before the question arrives within this time. */
const ON_THE_WAY = 300;
const CTRL_C = 0x03;

/**
 * Drops what was typed before the question and its options appear. An Enter that was meant for something else would
 * approve the call.
 */
export async function dropEarlyKeys(until: Promise<unknown> = sleep(ON_THE_WAY)): Promise<void> {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  const drop = (keys: Buffer | string) => {
    if (!Buffer.from(keys).includes(CTRL_C)) return;
    // The terminal sends no signal itself while it is raw. On Windows, `kill` would end the process at once.
    if (!process.emit('SIGINT')) process.kill(process.pid, 'SIGINT');
  };
  stdin.setRawMode(true);
  stdin.on('data', drop);
  await until;
  stdin.off('data', drop);
  stdin.pause();
  stdin.setRawMode(false);
}

/**
 * Lets the user choose one item. The cursor starts at `first`, with the key hints beside it. Undefined if the user cancels.
 */
export async function choose<Value>(
  shown: Shown,
  items: readonly Item<Value>[],
  first = 0,
): Promise<Value | undefined> {
  const { keys } = shown.texts.replies;
  const taken = await select({
    ...common(shown),
    showInstructions: false,
    options: items.map(({ label }, index) => ({ value: index, label, hint: keys.one })),
    initialValue: Math.max(0, first),
  });
  return isCancel(taken) ? undefined : items[taken]?.value;
}

export async function chooseSome<Value>(
  shown: Shown,
  items: readonly Item<Value>[],
  { initialValues, required }: { initialValues: readonly Value[]; required: boolean },
): Promise<Value[] | undefined> {
  const { keys } = shown.texts.replies;
  const taken = await multiselect({
    ...common(shown),
    showInstructions: false,
    options: items.map(({ label }, index) => ({ value: index, label, hint: keys.some })),
    initialValues: [...items.keys()].filter((index) =>
      initialValues.some((one) => one === items[index]?.value),
    ),
    required,
  });
  return isCancel(taken)
    ? undefined
    : items.filter((_, index) => taken.includes(index)).map(({ value }) => value);
}

export async function yesOrNo(shown: Shown, initialValue = true): Promise<boolean | undefined> {
  const { flag } = shown.texts.replies;
  const taken = await confirm({
    ...common(shown),
    active: flag(true),
    inactive: flag(false),
    initialValue,
  });
  return isCancel(taken) ? undefined : taken;
}

function common({ message, signal }: Shown) {
  return { message, output: process.stderr, ...(signal && { signal }) };
}
