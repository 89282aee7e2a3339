import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';

interface Props {
  readonly title: string;
  readonly label: string;
  readonly button: string;
  readonly look?: 'main' | 'danger';
  /** Without a word there is nothing to send. */
  readonly isNeeded?: boolean;
  readonly onSay: (text: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for a few words and sends them. */
export function Word({ title, label, button, look = 'main', isNeeded = false, onSay, onClose }: Props) {
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
          required={isNeeded}
          onChange={({ target }) => setText(target.value)}
          className="rounded border border-line bg-paper px-3 py-2"
        />
        <Problem error={error} />
        <Button type="submit" look={look} disabled={isPending} className="self-end">
          {button}
        </Button>
      </form>
    </Dialog>
  );
}
