import { useMutation } from '@tanstack/react-query';
import type { Amounts } from 'dandori/client';
import { useId, useState } from 'react';
import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';
import { texts } from './texts.ts';

type Kind = keyof Amounts;

interface Props {
  readonly run: string;
  readonly state: RunState;
  readonly onClose: () => void;
}

/** More of what has run out. A run that went in circles needs a few decisions more. */
export function Budget({ run, state, onClose }: Props) {
  const say = useTexts(texts);
  const client = useClient();
  const id = useId();
  const limit = state.end?.limit ?? 'steps';
  const kind: Kind = limit === 'loop' ? 'steps' : limit;
  const [amount, setAmount] = useState(String(suggestion(kind, state)));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.addBudget(run, { [kind]: Number(amount) * (kind === 'time' ? 1_000 : 1) }),
    onSuccess: onClose,
  });
  return (
    <Dialog title={say.budget} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <p className="text-sm">{say.budgetText(say.limits[limit])}</p>
        <label htmlFor={id} className="text-faint text-sm">
          {say.limits[kind]}
        </label>
        <input
          id={id}
          type="number"
          required
          min={kind === 'cost' ? 0.01 : 1}
          step={kind === 'cost' ? 0.01 : 1}
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
          className="rounded border border-line bg-paper px-3 py-2"
        />
        <Problem error={error} />
        <Button type="submit" look="main" disabled={isPending} className="self-end">
          {say.add}
        </Button>
      </form>
    </Dialog>
  );
}

/** As much again as there was. */
function suggestion(kind: Kind, { settings: { limits, planning } }: RunState): number {
  if (kind === 'revisions') return planning?.revisions || 1;
  const limit = limits[kind] ?? 1;
  return kind === 'time' ? Math.ceil(limit / 1_000) : limit;
}
