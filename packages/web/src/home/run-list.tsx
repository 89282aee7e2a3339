import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { useTop } from '../ui/use-top.ts';
import { RunRow } from './run-row.tsx';
import type { RunSummary } from './use-runs.ts';

const ROW_HEIGHT = 58;

/** However many there are, only those in sight are in the page. */
export function RunList({ runs }: { readonly runs: readonly RunSummary[] }) {
  const list = useRef<HTMLUListElement>(null);
  const top = useTop(list);
  const rows = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => runs[index]?.run ?? index,
    overscan: 8,
    scrollMargin: top,
  });
  return (
    <ul
      ref={list}
      className="relative rounded-lg border border-line bg-sheet"
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ index, start, key }) => {
        const run = runs[index];
        if (run === undefined) return null;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={runs.length}
            className="absolute inset-x-0 top-0 border-line border-b last:border-b-0"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <RunRow run={run} />
          </li>
        );
      })}
    </ul>
  );
}
