import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly state: RunState;
  readonly onClose: () => void;
}

export function Rating({ run, state, onClose }: Props) {
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
          {say.send}
        </Button>
      </form>
    </Dialog>
  );
}
