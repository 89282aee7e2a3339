import type { Period, Statistics } from '#dandori/store/statistics.ts';
import { durationText } from '#dandori/views/report.ts';
import type { texts } from '../texts/dashboard.ts';
import type { Words } from '../texts/words.ts';
import type { Chart } from './chart.ts';

interface Wording {
  readonly say: (typeof texts)['en'];
  readonly statuses: Words['statuses'];
  readonly language: string;
}

export function figuresOf(
  all: Statistics,
  columns: readonly Period[],
  { say, statuses, language }: Wording,
): Chart[] {
  const number = (digits: number, more: Intl.NumberFormatOptions = {}) => {
    const format = new Intl.NumberFormat(language, { maximumFractionDigits: digits, ...more });
    return (value: number) => format.format(value);
  };
  const whole = number(0);
  const short = number(1, { notation: 'compact' });
  const average = number(2);
  const percent = number(0, { style: 'percent' });
  const exactly = number(1, { style: 'percent' });
  const dollars = number(4, { style: 'currency', currency: 'USD' });
  const each = <T>(value: (column: Period) => T) => columns.map(value);
  const { charts: words } = say;
  const { tokens } = all;
  const calls = sum(Object.values(all.tools).map((tool) => tool.calls));
  const wrong = sum(Object.values(all.tools).map(({ failed, inDoubt }) => failed + inDoubt));
  return [
    {
      id: 'runs',
      ...words.runs,
      figure: whole(all.runs),
      kind: 'bars',
      format: whole,
      series: [
        { name: statuses.answered, ink: 'good', values: each(({ outcomes: of }) => of.answered) },
        { name: statuses.failed, ink: 'bad', values: each(({ outcomes: of }) => of.failed) },
        { name: statuses.exhausted, ink: 'warn', values: each(({ outcomes: of }) => of.exhausted) },
        { name: statuses.cancelled, ink: 'faint', values: each(({ outcomes: of }) => of.cancelled) },
        {
          name: say.notEnded,
          ink: 'busy',
          values: each(({ outcomes: of }) => of.open + of.waiting + of.paused),
        },
      ],
    },
    {
      id: 'completion',
      ...words.completion,
      figure: orDash(all.completionRate, percent),
      kind: 'line',
      format: percent,
      ticks: [0, 0.5, 1],
      series: [
        {
          name: words.completion.title,
          ink: 'good',
          values: each(({ outcomes: of }) => ratio(of.answered, ended(of))),
        },
      ],
    },
    {
      id: 'revisions',
      ...words.revisions,
      figure: average(all.revisions.perRun),
      kind: 'line',
      format: average,
      series: [
        {
          name: words.revisions.title,
          ink: 'accent',
          values: each(({ revisions, outcomes: of }) => ratio(revisions, sum(Object.values(of)))),
        },
      ],
    },
    {
      id: 'model-calls',
      ...words.modelCalls,
      figure: `${whole(all.modelCalls.total)} (${say.perRun(average(all.modelCalls.perRun))})`,
      kind: 'bars',
      format: short,
      series: [{ name: words.modelCalls.title, ink: 'accent', values: each(({ modelCalls }) => modelCalls) }],
    },
    {
      id: 'tokens',
      ...words.tokens,
      figure: short(tokens.input + tokens.output),
      kind: 'bars',
      format: short,
      series: [
        { name: say.input, ink: 'accent', values: each(({ tokens: of }) => of.input) },
        { name: say.output, ink: 'warn', values: each(({ tokens: of }) => of.output) },
      ],
    },
    {
      id: 'cost',
      ...words.cost,
      figure: orDash(all.cost, dollars),
      kind: 'bars',
      format: dollars,
      series: [{ name: words.cost.title, ink: 'accent', values: each(({ cost }) => cost) }],
    },
    {
      id: 'errors',
      ...words.errors,
      figure: orDash(ratio(wrong, calls), exactly),
      kind: 'line',
      format: exactly,
      series: [
        {
          name: words.errors.title,
          ink: 'bad',
          values: each((of) => ratio(of.failed + of.inDoubt, of.calls)),
        },
      ],
    },
    {
      id: 'timeouts',
      ...words.timeouts,
      figure: whole(all.timeouts),
      kind: 'bars',
      format: whole,
      series: [{ name: words.timeouts.title, ink: 'warn', values: each(({ timeouts }) => timeouts) }],
    },
    {
      id: 'duration',
      ...words.duration,
      figure: orDash(all.duration?.meanMs ?? null, durationText),
      kind: 'line',
      format: durationText,
      series: [
        {
          name: words.duration.title,
          ink: 'busy',
          values: each(({ ms, outcomes: of }) => ratio(ms, ended(of))),
        },
      ],
    },
    {
      id: 'satisfaction',
      ...words.satisfaction,
      figure:
        all.satisfaction === null
          ? '–'
          : say.ratings(number(1)(all.satisfaction.mean), all.satisfaction.count),
      kind: 'line',
      format: number(1),
      ticks: [0, 1, 2, 3, 4, 5],
      series: [
        {
          name: words.satisfaction.title,
          ink: 'good',
          values: each(({ ratings }) => ratio(ratings.sum, ratings.count)),
        },
      ],
    },
  ];
}

function ended({ answered, failed, cancelled, exhausted }: Period['outcomes']): number {
  return answered + failed + cancelled + exhausted;
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function orDash(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
