import { useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Choice } from '../../ui/choice.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import type { ViewProps } from '../view.ts';
import { STATUS_FILTERS, taskCount, taskRows, type Wanted } from './task-rows.ts';
import { TaskTable } from './task-table.tsx';
import { texts } from './texts.ts';

/** All tasks as a table that can be searched and sorted. */
export function Tasks({ state, selected, select }: ViewProps) {
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
          label={say.status}
          value={wanted.filter}
          options={STATUS_FILTERS}
          texts={say.filters}
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
