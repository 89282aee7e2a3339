import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createRequestKeys } from '../live/request-keys.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { SendForm } from '../ui/send-form.tsx';
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
  return (
    <SendForm
      onSend={send}
      canSend={canBegin}
      texts={{ send: begin.isPending ? say.beginning : say.begin, keys: say.sendHint }}
      error={begin.error}
      choices={<p className="text-faint text-sm">{say.firstHint}</p>}
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
    </SendForm>
  );
}
