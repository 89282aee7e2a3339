import { type Client, createClient } from 'dandori/client';
import { createContext, Fragment, type ReactNode, use, useState } from 'react';
import { drafts } from '../live/drafts.ts';
import { watchedFetch } from './connection.tsx';
import { createShownClient } from './shown-text.ts';

interface Session {
  readonly client: Client;
  readonly hasToken: boolean;
  /** Undefined signs out. The token is kept for this tab only. */
  readonly setToken: (token: string | undefined) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);
const KEY = 'dandori.token';

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState(() => sessionFor(sessionStorage.getItem(KEY) ?? undefined));
  const setToken = (token: string | undefined) => {
    if (token !== sessionStorage.getItem(KEY)) drafts.forget();
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
    setSession(sessionFor(token, session.number + 1));
  };
  return (
    <SessionContext value={{ ...session, setToken }}>
      {/* Another token may belong to another user, so the page forgets everything. */}
      <Fragment key={session.number}>{children}</Fragment>
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new Error('There is no session around this.');
  return session;
}

export function useClient(): Client {
  return useSession().client;
}

function sessionFor(token: string | undefined, number = 0) {
  // An open page never stops trying to reconnect.
  const patience = Number.POSITIVE_INFINITY;
  const client = createClient({
    url: location.origin,
    patience,
    fetch: watchedFetch,
    ...(token !== undefined && { token }),
  });
  return { client: createShownClient(client), hasToken: token !== undefined, number };
}
