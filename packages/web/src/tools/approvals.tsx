import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { stringifyJson } from '#dandori/model/json.ts';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/tools.ts';
import { Button } from '../ui/button.tsx';
import { EffectMark } from '../ui/marks.tsx';
import { Problem } from '../ui/problem.tsx';

const KEY = ['approvals'];

/** The approvals that the user gave for good. Nothing is shown if there are none. */
export function Approvals() {
  const say = useTexts(texts).approvals;
  const { language } = useLanguage();
  const client = useClient();
  const queries = useQueryClient();
  const { data = [], error } = useQuery({ queryKey: KEY, queryFn: () => client.approvals() });
  const revoke = useMutation({
    mutationFn: (id: string) => client.revokeApproval(id),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  if (data.length === 0) return <Problem error={error} />;
  return (
    <section aria-labelledby="approvals" className="flex flex-col gap-2">
      <h2 id="approvals" className="font-semibold">
        {say.title}
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-sheet">
        {data.map(({ id, operation, effect, args, at }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
            <span className="font-medium font-mono [overflow-wrap:anywhere]">{operation}</span>
            <EffectMark effect={effect} />
            <span className="min-w-0 text-faint text-xs [overflow-wrap:anywhere]">
              {args === undefined ? say.anyArguments : stringifyJson(args)} ·{' '}
              {new Date(at).toLocaleString(language)}
            </span>
            <Button disabled={revoke.isPending} onClick={() => revoke.mutate(id)} className="ml-auto">
              {say.revoke}
            </Button>
          </li>
        ))}
      </ul>
      <Problem error={revoke.error} />
    </section>
  );
}
