import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { isStep, workOf } from '#dandori/model/task.ts';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/tasks.ts';
import { words } from '../../texts/words.ts';
import { Choice, SearchField } from '../../ui/fields.tsx';
import { Badge, EffectMark, StatusMark } from '../../ui/marks.tsx';
import type { ViewProps } from '../view.tsx';
import {
  COLUMNS,
  type Column,
  STATUS_FILTERS,
  type TaskRow,
  taskCount,
  taskRows,
  type Wanted,
} from './task-rows.ts';

/** All tasks as a table that can be searched and sorted. */
export default function Tasks({ state, selected, select }: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const [wanted, setWanted] = useState<Wanted>({ text: '', filter: 'all', sort: 'order', isDown: false });
  const rows = taskRows(state, wanted);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <SearchField
          label={say.search}
          value={wanted.text}
          onType={(text) => setWanted({ ...wanted, text })}
        />
        <Choice
          label={word.status}
          value={wanted.filter}
          options={STATUS_FILTERS}
          texts={{ ...say.filters, all: word.allOfThem }}
          onChoose={(filter) => setWanted({ ...wanted, filter })}
        />
        <p role="status" className="text-faint text-sm">
          {say.count(rows.length, taskCount(state))}
        </p>
      </div>
      {rows.length === 0 ? (
        <p className="p-4 text-faint">{say.none}</p>
      ) : (
        <TaskTable
          rows={rows}
          sort={wanted.sort}
          isDown={wanted.isDown}
          onSort={(sort) =>
            setWanted({ ...wanted, sort, isDown: sort === wanted.sort ? !wanted.isDown : false })
          }
          selected={selected}
          onSelect={select}
        />
      )}
    </div>
  );
}

interface Props {
  readonly rows: readonly TaskRow[];
  readonly sort: Column;
  readonly isDown: boolean;
  readonly onSort: (column: Column) => void;
  readonly selected: string | undefined;
  readonly onSelect: (task: string) => void;
}

const ROW_HEIGHT = 36;
/** Columns hidden on narrow screens are in the details. */
const LOOKS: Readonly<Record<Column, string>> = {
  order: '',
  status: '',
  operation: 'max-w-0 w-full',
  step: 'hidden lg:table-cell',
  effect: 'hidden md:table-cell',
  attempts: 'hidden sm:table-cell text-right',
  duration: 'text-right',
};
const CELL = 'h-9 px-2 whitespace-nowrap overflow-hidden text-ellipsis';

/** Only the rows in view are in the DOM; `aria-rowcount` says how many there are. */
function TaskTable({ rows, sort, isDown, onSort, selected, onSelect }: Props) {
  const say = useTexts(texts);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={box}
      className="max-h-[calc(100dvh-var(--stuck-below,0px)-4rem)] overflow-auto rounded border border-line bg-sheet"
    >
      <table aria-label={say.table} aria-rowcount={rows.length + 1} className="w-full text-sm">
        <thead className="sticky top-0 z-10 bg-sunken text-left">
          <tr aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <th
                key={column}
                scope="col"
                aria-sort={sort !== column ? undefined : isDown ? 'descending' : 'ascending'}
                className={`${CELL} ${LOOKS[column]} font-medium`}
              >
                <button
                  type="button"
                  onClick={() => onSort(column)}
                  title={say.sortBy(say.columns[column])}
                  className="hover:underline"
                >
                  {say.columns[column]}
                  <span aria-hidden="true" className="inline-block w-4 text-center">
                    {sort === column ? (isDown ? '↓' : '↑') : ''}
                  </span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody aria-hidden="true">
          <tr style={{ height: before }} />
        </tbody>
        <tbody>
          {items.map(({ index }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <Row
                  key={row.task.task.id}
                  row={row}
                  index={index}
                  isSelected={row.task.task.id === selected}
                  onSelect={onSelect}
                />
              )
            );
          })}
        </tbody>
        <tbody aria-hidden="true">
          <tr style={{ height: after }} />
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly row: TaskRow;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: (task: string) => void;
}

function Row({ row: { task, status }, index, isSelected, onSelect }: RowProps) {
  const word = useTexts(words);
  const { id, step, description } = task.task;
  const work = workOf(task.task);
  return (
    <tr
      aria-rowindex={index + 2}
      onClick={() => onSelect(id)}
      className={`cursor-default border-line border-t hover:bg-sunken ${isSelected ? 'bg-sunken' : ''}`}
    >
      <td className={`${CELL} max-w-40`}>
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={(event) => {
            event.stopPropagation();
            onSelect(id);
          }}
          className="max-w-full truncate text-accent underline-offset-2 hover:underline"
        >
          {id}
        </button>
      </td>
      <td className={CELL}>
        <StatusMark status={status} /> {task.isSuperseded && <Badge>{word.statuses.replaced}</Badge>}
      </td>
      <td className={`${CELL} ${LOOKS.operation}`} title={description ?? work}>
        <span className={isStep(task.task) ? undefined : 'font-mono'}>{work}</span>{' '}
        {description !== undefined && description !== work && (
          <span className="text-faint">{description}</span>
        )}
      </td>
      <td className={`${CELL} ${LOOKS.step} max-w-40`}>{step}</td>
      <td className={`${CELL} ${LOOKS.effect}`}>
        <EffectMark effect={task.effect} />
      </td>
      <td className={`${CELL} ${LOOKS.attempts} tabular-nums`}>{task.attempts}</td>
      <td className={`${CELL} ${LOOKS.duration} tabular-nums`}>
        {task.ms === undefined ? '–' : durationText(task.ms)}
      </td>
    </tr>
  );
}
