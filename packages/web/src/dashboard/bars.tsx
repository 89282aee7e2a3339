import type { Series } from './chart.ts';
import { FILL } from './inks.ts';
import type { Scale } from './plot.tsx';

interface Props {
  readonly series: readonly Series[];
  readonly scale: Scale;
}

/** Bars that stand on each other. */
export function Bars({ series, scale: { x, y, step } }: Props) {
  const width = Math.max(1, Math.min(28, step * 0.7));
  const below = (series[0]?.values ?? []).map(() => 0);
  return series.map(({ name, ink, values }) => (
    <g key={name} className={FILL[ink]}>
      {values.map((value, column) => {
        if (value === null || value === 0) return null;
        const from = below[column] ?? 0;
        below[column] = from + value;
        const top = y(from + value);
        // A value that is too small for a pixel is there all the same.
        const height = Math.max(1, y(from) - top);
        return <rect key={column} x={x(column) - width / 2} y={top} width={width} height={height} rx={1} />;
      })}
    </g>
  ));
}
