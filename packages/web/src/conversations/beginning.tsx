import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createRequestKeys } from '../live/request-keys.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { TextField } from '../ui/text-field.tsx';
import { texts } from './texts.ts';

/** The first message of a conversation. */
export function Beginning() {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const queries = useQueryClient();
  const [keys] = useState(createRequestKeys);
  const [text, setText] = useState('');
  const begin = useMutation({
    mutationFn: (first: string) => conversations.begin(first, { key: keys.keyFor(first) }),
    onSuccess({ conversation }) {
      keys.done();
      void queries.invalidateQueries({ queryKey: ['conversations'] });
      goTo({ at: 'conversation', conversation });
    },
  });
  const canBegin = text.trim() !== '' && !begin.isPending;
  const send = () => canBegin && begin.mutate(text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={submit}
      className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4 shadow-sm"
    >
      <TextField
        label={say.first}
        placeholder={say.first}
        rows={2}
        value={text}
        onType={setText}
        onSend={send}
        isBare
        className="max-h-[50vh] text-lg"
      />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-faint text-sm">{say.firstHint}</p>
        <span className="ml-auto flex items-center gap-3">
          <span className="hidden text-faint text-xs sm:inline">{say.sendHint}</span>
          <Button type="submit" look="main" disabled={!canBegin}>
            {begin.isPending ? say.beginning : say.begin}
          </Button>
        </span>
      </div>
      <Problem error={begin.error} />
    </form>
  );
}
