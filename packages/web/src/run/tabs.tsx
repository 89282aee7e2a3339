import { type KeyboardEvent, useRef } from 'react';
import { useTexts } from '../shell/language.tsx';
import { goTo, Link, RUN_VIEWS, type RunView } from '../shell/route.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly view: RunView;
  readonly seq: number | undefined;
  readonly counts: Partial<Record<RunView, number>>;
}

export const PANEL = 'view';

/** Each is a link too, so that it can be opened beside. Arrow keys move among them. */
export function Tabs({ run, view, seq, counts }: Props) {
  const say = useTexts(texts);
  const list = useRef<HTMLDivElement>(null);
  const routeTo = (name: RunView) => ({
    at: 'run' as const,
    run,
    view: name,
    ...(seq !== undefined && { seq }),
  });
  const move = (event: KeyboardEvent) => {
    const index = RUN_VIEWS.indexOf(view);
    const last = RUN_VIEWS.length - 1;
    const targets: Partial<Record<string, number>> = {
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index === 0 ? last : index - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    const name = target === undefined ? undefined : RUN_VIEWS[target];
    if (name === undefined) return;
    event.preventDefault();
    goTo(routeTo(name));
    list.current?.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={say.viewsLabel}
      onKeyDown={move}
      className="-mx-4 flex gap-1 overflow-x-auto border-line border-b px-4 text-sm"
    >
      {RUN_VIEWS.map((name) => (
        <Link
          key={name}
          id={`tab-${name}`}
          role="tab"
          aria-selected={name === view}
          aria-controls={PANEL}
          tabIndex={name === view ? 0 : -1}
          to={routeTo(name)}
          className="-mb-px whitespace-nowrap border-transparent border-b-2 px-3 py-2 text-faint hover:text-ink focus-visible:outline-offset-[-2px] aria-selected:border-accent aria-selected:text-ink"
        >
          {say.views[name]}{' '}
          {counts[name] !== undefined && counts[name] > 0 && (
            <span className="ml-0.5 rounded bg-sunken px-1.5 text-faint text-xs tabular-nums">
              {counts[name]}
            </span>
          )}
        </Link>
      ))}
    </div>
  );
}
