import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { texts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Waiting } from '../ui/page.tsx';
import { useTexts } from './language.tsx';
import { GATE, isUnauthorized } from './queries.tsx';
import { useSession } from './session.tsx';

/** Asks for an access token if the server requires one. */
export function TokenGate({ children }: { readonly children: ReactNode }) {
  const { client, hasToken } = useSession();
  const { error, isPending } = useQuery({
    queryKey: GATE,
    queryFn: async () => (await client.runs({ limit: 1 })).runs.length,
    retry: (_count, cause) => !isUnauthorized(cause),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending) return <Waiting />;
  if (isUnauthorized(error)) return <TokenForm wasRefused={hasToken} />;
  return children;
}

function TokenForm({ wasRefused }: { readonly wasRefused: boolean }) {
  const say = useTexts(texts).token;
  const { setToken } = useSession();
  const [typed, setTyped] = useState('');
  const enter = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') setToken(typed.trim());
  };
  return (
    <main className="mx-auto w-full max-w-sm p-4 pt-[12vh]">
      <form onSubmit={enter} className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-6">
        <img src="/icon.svg" alt="" className="size-9" />
        <h1 className="font-semibold text-lg">{say.title}</h1>
        <p className="text-faint text-sm">{say.text}</p>
        {wasRefused && (
          <p role="alert" className="text-bad text-sm">
            {say.refused}
          </p>
        )}
        <label className="flex flex-col gap-1 text-sm">
          {say.label}
          <input
            type="password"
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="rounded border border-line bg-paper px-2 py-1.5 font-mono"
          />
        </label>
        <Button type="submit" look="main">
          {say.enter}
        </Button>
      </form>
    </main>
  );
}
