import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTexts } from '../shell/language.tsx';
import { TaskDetails } from './tasks/task-details.tsx';
import { texts } from './texts.ts';
import type { ViewProps } from './view.ts';

/** Beside the view where there is room, else a sheet that lies over its lower part. */
export function Details(props: ViewProps & { readonly selected: string }) {
  const say = useTexts(texts);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    before.current = document.activeElement;
  }, []);
  const close = () => {
    props.select(undefined);
    if (before.current instanceof HTMLElement || before.current instanceof SVGElement) before.current.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <aside
      aria-label={say.details(props.selected)}
      onKeyDown={onKeyDown}
      className="max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-30 max-md:max-h-[72dvh] max-md:rounded-t-xl max-md:border-t max-md:shadow-2xl flex flex-col overflow-hidden border-line bg-sheet md:sticky md:top-2 md:max-h-[calc(100dvh-1rem-var(--stuck-below,0px))] md:w-96 md:shrink-0 md:self-start md:rounded-md md:border lg:w-[28rem]"
    >
      <div className="flex items-center justify-between border-line border-b px-3 py-1">
        <span className="min-w-0 truncate font-mono text-faint text-xs">{props.selected}</span>
        <button
          type="button"
          aria-label={say.close}
          onClick={close}
          className="rounded px-2 py-1 text-faint hover:text-ink"
        >
          ✕
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <TaskDetails {...props} />
      </div>
    </aside>
  );
}
