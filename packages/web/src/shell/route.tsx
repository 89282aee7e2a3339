import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';
import { decodedUri } from '#dandori/model/text.ts';
import { toRaw, toShown } from './shown-text.ts';

/** Where the user is. The address contains all of it, so a reload or a link leads to the same place. */
export type Route =
  | { readonly at: 'home'; readonly query?: Query }
  | { readonly at: 'run'; readonly run: string; readonly view: RunView; readonly seq?: number }
  | { readonly at: 'conversations' }
  | { readonly at: 'conversation'; readonly conversation: string }
  | { readonly at: 'dashboard'; readonly query?: Query }
  | { readonly at: 'tools'; readonly query?: Query }
  | { readonly at: 'nowhere' };

/** Filters and choices of a room, by name. */
export type Query = Readonly<Record<string, string>>;

export const RUN_VIEWS = ['graph', 'timeline', 'decisions', 'tasks', 'plan', 'events'] as const;
export type RunView = (typeof RUN_VIEWS)[number];

function routeOf(address: string): Route {
  const { pathname, searchParams } = new URL(address, 'http://page');
  // A trailing slash is ignored.
  const [room = '', id, view] = pathname.replace(/\/$/, '').split('/').slice(1).map(decodedUri);
  const query = toShown(Object.fromEntries(searchParams));
  if (room === '') return { at: 'home', query };
  if (room === 'runs' && id) return runRoute(id, view, searchParams.get('at'));
  if (room === 'conversations')
    return id ? { at: 'conversation', conversation: id } : { at: 'conversations' };
  if ((room === 'dashboard' || room === 'tools') && id === undefined) return { at: room, query };
  return { at: 'nowhere' };
}

export function addressOf(route: Route): string {
  switch (route.at) {
    case 'home':
      return `/${searchOf(route.query)}`;
    case 'nowhere':
      return '/';
    case 'dashboard':
    case 'tools':
      return `/${route.at}${searchOf(route.query)}`;
    case 'run': {
      const view = route.view === 'graph' ? '' : `/${route.view}`;
      const at = route.seq === undefined ? '' : `?at=${route.seq}`;
      return `/runs/${encodeURIComponent(route.run)}${view}${at}`;
    }
    case 'conversation':
      return `/conversations/${encodeURIComponent(route.conversation)}`;
    case 'conversations':
      return '/conversations';
  }
}

function searchOf(query: Query = {}): string {
  const chosen = Object.entries(query).filter(([, value]) => value !== '');
  return chosen.length === 0 ? '' : `?${new URLSearchParams(toRaw(chosen))}`;
}

function runRoute(run: string, view: string | undefined, at: string | null): Route {
  const known = RUN_VIEWS.find((name) => name === (view ?? 'graph'));
  if (known === undefined) return { at: 'nowhere' };
  const seq = Number(at);
  return { at: 'run', run, view: known, ...(Number.isInteger(seq) && seq > 0 && { seq }) };
}

const listeners = new Set<() => void>();
window.addEventListener('popstate', () => {
  for (const listener of listeners) listener();
});

/** `replace` adds no step to the browser's history. */
export function goTo(route: Route, { replace = false } = {}): void {
  const address = addressOf(route);
  if (address === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  for (const listener of listeners) listener();
}

export function useRoute(): Route {
  const address = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => location.pathname + location.search,
  );
  return routeOf(address);
}

/** A real link, which can be copied or opened in another tab. */
export function Link({ to, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly to: Route }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    rest.onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    event.preventDefault();
    goTo(to);
  };
  return <a {...rest} href={addressOf(to)} onClick={follow} />;
}
