import { milliseconds } from '../config/duration.ts';
import { DandoriError } from '../domain/error.ts';
import type { FactOf } from '../domain/event.ts';
import type { Limit } from '../domain/limit.ts';

type Amounts = FactOf<'budget_added'>['data'];

const COUNTS = ['steps', 'calls', 'tasks', 'tokens', 'revisions'] as const;
const EXAMPLE = 'such as steps=5,calls=10,tokens=50000,tasks=20,revisions=2,cost=0.5,time=10m';

/** What to add so that a run goes on which this limit has ended. */
const ENOUGH: Readonly<Record<Limit, string>> = {
  steps: 'steps=5,calls=10',
  calls: 'calls=10',
  tasks: 'tasks=20',
  tokens: 'tokens=50000',
  cost: 'cost=1',
  time: 'time=10m',
  revisions: 'revisions=2',
  // Whatever is added, the mind may try once more.
  loop: 'steps=5',
};

/** Journals of before do not say which limit it was. */
export function amountsFor(limit: Limit = 'steps'): string {
  return ENOUGH[limit];
}

/** `steps=5,time=10m`, as it is typed behind `--add-budget`. */
export function readAmounts(text: string): Amounts {
  const amounts: Amounts = {};
  for (const part of text.split(/[,\s]+/).filter((one) => one !== '')) {
    const [name = '', value = ''] = part.split('=');
    Object.assign(amounts, { [name]: amountOf(name, value) });
  }
  if (Object.keys(amounts).length === 0) throw refusal(`there is nothing in "${text}"`);
  return amounts;
}

function amountOf(name: string, value: string): number {
  if (name === 'time') {
    const ms = milliseconds(/^[\d.]+$/.test(value) ? Number(value) : value);
    if (ms === undefined || ms <= 0) throw refusal(`"${value}" is no duration`);
    return ms;
  }
  const isCount = (COUNTS as readonly string[]).includes(name);
  if (!isCount && name !== 'cost') throw refusal(`there is no limit "${name}"`);
  const number = Number(value);
  const isRight =
    value !== '' && number > 0 && Number.isFinite(number) && (!isCount || Number.isInteger(number));
  if (!isRight) throw refusal(`"${value}" is no amount of ${name}`);
  return number;
}

function refusal(problem: string): DandoriError {
  return new DandoriError('usage', `--add-budget: ${problem}.`, { fix: `Write amounts, ${EXAMPLE}.` });
}
