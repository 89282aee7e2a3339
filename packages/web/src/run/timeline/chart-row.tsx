import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/timeline.ts';
import type { Bar } from './bars.ts';
import { LABELS } from './chart.tsx';
import { type Drawn, drawnBars, type Row } from './rows.ts';

interface Marked {
  readonly critical: ReadonlySet<string>;
  readonly selected: string | undefined;
  readonly active: string | undefined;
}

interface Props {
  readonly row: Row;
  readonly top: number;
  readonly height: number;
  readonly window: Parameters<typeof drawnBars>[1];
  readonly marked: Marked;
  readonly onSelect: (task: string | undefined) => void;
}

export function ChartRow({ row, top, height, window, marked, onSelect }: Props) {
  const say = useTexts(texts);
  const label = row.kind === 'tasks' ? row.id.split(' ')[1] : say[row.kind];
  return (
    <div className="absolute left-0 w-full border-line border-b" style={{ top, height }}>
      <span
        style={{ width: LABELS }}
        className="sticky left-0 z-10 flex h-full items-center truncate border-line border-r bg-sheet px-2 text-faint text-xs tabular-nums"
      >
        {label}
      </span>
      {drawnBars(row.bars, window).map((drawn) => (
        <Shape key={drawn.bar.id} drawn={drawn} now={window.now} marked={marked} onSelect={onSelect} />
      ))}
    </div>
  );
}

/** Never by colour alone: failed is struck through, unconfirmed and waiting are dashed. */
const LOOKS: Readonly<Record<Bar['how'], string>> = {
  open: 'bg-busy/25 border-busy animate-pulse',
  succeeded: 'bg-good/20 border-good/60',
  failed: 'bg-bad/20 border-bad line-through',
  in_doubt: 'bg-warn/20 border-warn border-dashed',
  asked: 'bg-good/10 border-warn border-dotted',
  lost: 'bg-sunken border-faint border-dashed',
};

const KINDS: Readonly<Record<Bar['kind'], string>> = {
  attempt: '',
  decision: '',
  probe: 'italic',
  slot: 'bg-transparent! border-faint! border-dotted! text-faint',
  wait: 'bg-transparent! border-warn! border-dashed! text-warn',
};

interface ShapeProps {
  readonly drawn: Drawn;
  readonly now: number;
  readonly marked: Marked;
  readonly onSelect: (task: string | undefined) => void;
}

function Shape({ drawn: { bar, left, width, count }, now, marked, onSelect }: ShapeProps) {
  const say = useTexts(texts);
  const isCritical = marked.critical.has(bar.id);
  const name = nameOf(bar, { say, now, isCritical });
  const title = count > 1 ? `${say.many(count)}: ${name} …` : name;
  const frame = isCritical ? 'border-2 border-ink!' : 'border';
  const isSelected = bar.task !== undefined && bar.task === marked.selected;
  const ring = marked.active === bar.id ? 'outline-2 outline-accent outline-offset-1' : '';
  return (
    <button
      id={barId(bar)}
      type="button"
      tabIndex={-1}
      aria-label={title}
      title={title}
      onClick={() => onSelect(bar.task)}
      style={{ left: LABELS + left, width }}
      className={`absolute inset-y-1 overflow-hidden truncate whitespace-nowrap rounded-sm text-left text-[11px] text-ink ${width > 24 ? 'px-1' : ''} ${LOOKS[bar.how]} ${KINDS[bar.kind]} ${frame} ${ring} ${isSelected ? 'ring-2 ring-accent' : ''}`}
    >
      {width > 24 && titleOf(bar, say)}
    </button>
  );
}

export function barId({ id }: Bar): string {
  return `bar-${id.replaceAll(' ', '-')}`;
}

type TimelineTexts = (typeof texts)['en'];

/** The short name of a bar. */
export function titleOf({ kind, task, which }: Bar, say: TimelineTexts): string {
  if (kind === 'decision') return say.decision(which);
  return task ?? say.question(which);
}

/** Everything a bar shows, as text. */
export function nameOf(
  bar: Bar,
  {
    say,
    now,
    isCritical,
  }: { readonly say: TimelineTexts; readonly now: number; readonly isCritical: boolean },
): string {
  const { kind, which, start, end, how } = bar;
  const tries = kind === 'attempt' && Number(which) > 1 ? [say.attempt(which)] : [];
  const isNamed = kind === 'probe' || kind === 'slot' || (kind === 'wait' && bar.task !== undefined);
  const what = isNamed ? [say.kinds[kind]] : [];
  const took = durationText(Math.max(0, (end ?? now) - start));
  const marks = isCritical ? [say.critical] : [];
  return [
    titleOf(bar, say),
    ...what,
    ...tries,
    ...(kind === 'slot' ? [] : [say.hows[how]]),
    took,
    ...marks,
  ].join(', ');
}
