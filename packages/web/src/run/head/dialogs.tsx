import { useMutation } from '@tanstack/react-query';
import type { Amounts } from 'dandori/client';
import { useId, useState } from 'react';
import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/steering.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';

interface TextDialogProps {
  readonly title: string;
  readonly label: string;
  readonly button: string;
  readonly look?: 'main' | 'danger';
  /** The other button, which only closes the dialog. */
  readonly leave?: string;
  readonly isRequired?: boolean;
  readonly onSay: (text: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for a text and sends it. */
export function TextDialog({
  title,
  label,
  button,
  look = 'main',
  leave,
  isRequired = false,
  onSay,
  onClose,
}: TextDialogProps) {
  const [text, setText] = useState('');
  const id = useId();
  const { mutate, isPending, error } = useMutation({ mutationFn: onSay, onSuccess: onClose });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(text.trim());
        }}
      >
        <label htmlFor={id} className="text-faint text-sm">
          {label}
        </label>
        <textarea
          id={id}
          value={text}
          rows={3}
          maxLength={10_000}
          required={isRequired}
          onChange={({ target }) => setText(target.value)}
          className="rounded border border-line bg-paper px-3 py-2"
        />
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button type="submit" look={look} disabled={isPending}>
            {button}
          </Button>
          {leave !== undefined && <Button onClick={onClose}>{leave}</Button>}
        </div>
      </form>
    </Dialog>
  );
}

type Kind = keyof Amounts;

interface RunDialogProps {
  readonly run: string;
  readonly state: RunState;
  readonly onClose: () => void;
}

/** Raises the limit that was reached. A run that ended in a loop gets more steps. */
export function RaiseLimits({ run, state, onClose }: RunDialogProps) {
  const word = useTexts(words);
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
    <Dialog title={say.raise} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <p className="text-sm">{say.raiseText(word.limits[limit])}</p>
        <label htmlFor={id} className="text-faint text-sm">
          {say.amounts[kind]}
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
          {say.raiseAndResume}
        </Button>
      </form>
    </Dialog>
  );
}

/** As much as the limit was. */
function suggestion(kind: Kind, { settings: { limits, planning } }: RunState): number {
  if (kind === 'revisions') return planning?.revisions || 1;
  const limit = limits[kind] ?? 1;
  return kind === 'time' ? Math.ceil(limit / 1_000) : limit;
}

interface RatingProps {
  readonly run: string;
  readonly state: RunState;
  readonly onClose: () => void;
}

export function RateRun({ run, state, onClose }: RatingProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const client = useClient();
  const id = useId();
  const [rating, setRating] = useState(state.rating?.rating);
  const [comment, setComment] = useState(state.rating?.comment ?? '');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: number) =>
      client.rate(run, { rating: chosen, ...(comment.trim() !== '' && { comment: comment.trim() }) }),
    onSuccess: onClose,
  });
  return (
    <Dialog title={say.rateTitle} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (rating !== undefined) mutate(rating);
        }}
      >
        <fieldset className="flex flex-col gap-1">
          <legend className="sr-only">{say.rateTitle}</legend>
          {say.ratings.map((name, index) => (
            <label key={name} className="flex items-center gap-2 rounded px-2 py-1 hover:bg-sunken">
              <input
                type="radio"
                name={id}
                required
                checked={rating === index + 1}
                onChange={() => setRating(index + 1)}
              />
              <span className="w-4 text-faint tabular-nums">{index + 1}</span>
              {name}
            </label>
          ))}
        </fieldset>
        <label htmlFor={`${id}-comment`} className="text-faint text-sm">
          {say.comment}
        </label>
        <textarea
          id={`${id}-comment`}
          value={comment}
          rows={2}
          maxLength={10_000}
          onChange={({ target }) => setComment(target.value)}
          className="rounded border border-line bg-paper px-3 py-2"
        />
        <Problem error={error} />
        <Button type="submit" look="main" disabled={isPending || rating === undefined} className="self-end">
          {word.send}
        </Button>
      </form>
    </Dialog>
  );
}
