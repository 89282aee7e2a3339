import { useMutation } from '@tanstack/react-query';
import { useTexts } from '../../shell/language.tsx';
import { goTo, Link } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly at: number;
  readonly plan: string;
  readonly mayGo: boolean;
  readonly onDone: () => void;
}

/** What the fork may do twice is told before one leaves for it. */
export function ForkEdited({ run, at, plan, mayGo, onDone }: Props) {
  const say = useTexts(texts);
  const client = useClient();
  const forking = useMutation({
    mutationFn: () => client.fork(run, { at, plan }),
    onSuccess(forked) {
      if (forked.later.length > 0) return;
      onDone();
      goTo({ at: 'run', run: forked.run, view: 'graph' });
    },
  });
  const { data: forked } = forking;
  if (forked !== undefined)
    return (
      <div role="status" className="w-full rounded border border-warn p-3 text-sm">
        <p>{say.forked(forked.run)}</p>
        {forked.later.length > 0 && (
          <>
            <p className="mt-2">{say.later}</p>
            <ul className="list-disc pl-6 font-mono text-xs">
              {forked.later.map(({ task, operation }) => (
                <li key={task}>
                  {task} {operation}
                </li>
              ))}
            </ul>
          </>
        )}
        <Link
          to={{ at: 'run', run: forked.run, view: 'graph' }}
          onClickCapture={onDone}
          className="mt-2 inline-block text-accent underline"
        >
          {say.goOn}
        </Link>
      </div>
    );
  return (
    <>
      <Button look="main" disabled={!mayGo || forking.isPending} onClick={() => forking.mutate()}>
        {say.fork}
      </Button>
      <Problem error={forking.error} />
    </>
  );
}
