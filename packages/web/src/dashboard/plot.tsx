import { type PointerEvent, useRef } from 'react';
import { useWidth } from '../ui/measure.ts';
import { type Chart, type Ink, type Series, ticksOf, topOf } from './chart.ts';
import type { Label } from './columns.ts';

interface Props {
  readonly chart: Chart;
  readonly labels: readonly Label[];
  /** The column under the pointer. */
  readonly column: number | undefined;
  readonly onColumn: (column: number | undefined) => void;
}

/** Pixels of columns and values. */
interface Scale {
  readonly x: (column: number) => number;
  readonly y: (value: number) => number;
  readonly step: number;
}

const HEIGHT = 150;
const LEFT = 48;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const LABEL_WIDTH = 64;

export function Plot({ chart, labels, column, onColumn }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const { id, title, figure, about, kind, series, format } = chart;
  const ticks = chart.ticks ?? ticksOf(topOf(chart));
  const count = Math.max(1, labels.length);
  const step = Math.max(0, width - LEFT - RIGHT) / count;
  const floor = HEIGHT - BOTTOM;
  const scale: Scale = {
    step,
    x: (index) => LEFT + (index + 0.5) * step,
    y: (value) => floor - (value / (ticks.at(-1) ?? 1)) * (floor - TOP),
  };
  const point = ({ clientX, currentTarget }: PointerEvent<SVGElement>) => {
    const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left - LEFT) / step);
    onColumn(index >= 0 && index < labels.length ? index : undefined);
  };
  const labelled = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(step, 1)));
  return (
    <div ref={box} className="min-w-0">
      {width > 0 && (
        <svg
          role="img"
          aria-labelledby={`${id}-name ${id}-about`}
          width={width}
          height={HEIGHT}
          className="block fill-faint text-[11px]"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => onColumn(undefined)}
        >
          <title id={`${id}-name`}>{`${title}: ${figure}`}</title>
          <desc id={`${id}-about`}>{about}</desc>
          {column !== undefined && (
            <rect
              x={scale.x(column) - step / 2}
              y={TOP}
              width={step}
              height={floor - TOP}
              className="fill-sunken"
            />
          )}
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={LEFT}
                x2={width - RIGHT}
                y1={scale.y(tick)}
                y2={scale.y(tick)}
                className="stroke-line"
              />
              <text x={LEFT - 6} y={scale.y(tick)} dy="0.35em" textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {labels.map(
            ({ short, long }, index) =>
              (labels.length - 1 - index) % labelled === 0 && (
                <text
                  key={long}
                  // The last label would stick out.
                  x={Math.min(scale.x(index), width - LABEL_WIDTH / 3)}
                  y={HEIGHT - 6}
                  textAnchor="middle"
                >
                  {short}
                </text>
              ),
          )}
          {kind === 'bars' ? <Bars series={series} scale={scale} /> : <Lines series={series} scale={scale} />}
        </svg>
      )}
    </div>
  );
}

interface SeriesProps {
  readonly series: readonly Series[];
  readonly scale: Scale;
}

/** Stacked bars. */
function Bars({ series, scale: { x, y, step } }: SeriesProps) {
  const width = Math.max(1, Math.min(28, step * 0.7));
  const below = (series[0]?.values ?? []).map(() => 0);
  return series.map(({ name, ink, values }) => (
    <g key={name} className={FILL[ink]}>
      {values.map((value, column) => {
        if (value === null || value === 0) return null;
        const from = below[column] ?? 0;
        below[column] = from + value;
        const top = y(from + value);
        // A value too small for a pixel is still shown.
        const height = Math.max(1, y(from) - top);
        return <rect key={column} x={x(column) - width / 2} y={top} width={width} height={height} rx={1} />;
      })}
    </g>
  ));
}

interface LineProps {
  readonly series: readonly Series[];
  readonly scale: Scale;
}

/** A line with gaps where a column has no value. */
function Lines({ series, scale: { x, y } }: LineProps) {
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

/** Complete class names, because Tailwind searches the source for them. */
const FILL: Readonly<Record<Ink, string>> = {
  accent: 'fill-accent',
  good: 'fill-good',
  bad: 'fill-bad',
  warn: 'fill-warn',
  busy: 'fill-busy',
  faint: 'fill-faint',
};

const STROKE: Readonly<Record<Ink, string>> = {
  accent: 'stroke-accent',
  good: 'stroke-good',
  bad: 'stroke-bad',
  warn: 'stroke-warn',
  busy: 'stroke-busy',
  faint: 'stroke-faint',
};

export const SWATCH: Readonly<Record<Ink, string>> = {
  accent: 'bg-accent',
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  busy: 'bg-busy',
  faint: 'bg-faint',
};
