import type { Series } from './chart.ts';
import { FILL, STROKE } from './inks.ts';
import type { Scale } from './plot.tsx';

interface Props {
  readonly series: readonly Series[];
  readonly scale: Scale;
}

/** A line through the columns that have a value; it is broken where one has none. */
export function Lines({ series, scale: { x, y } }: Props) {
  return series.map(({ name, ink, values }) => (
    <g key={name}>
      <path
        d={pathOf(values, { x, y })}
        fill="none"
        strokeWidth={2}
        strokeLinejoin="round"
        className={STROKE[ink]}
      />
      {values.map(
        (value, column) =>
          value !== null && <circle key={column} cx={x(column)} cy={y(value)} r={3} className={FILL[ink]} />,
      )}
    </g>
  ));
}

export function pathOf(values: Series['values'], { x, y }: Pick<Scale, 'x' | 'y'>): string {
  return values
    .map((value, column) => {
      if (value === null) return '';
      const begins = (values[column - 1] ?? null) === null;
      return `${begins ? 'M' : 'L'}${x(column).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}
