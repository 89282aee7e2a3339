import { useMutation } from '@tanstack/react-query';
import type { Heard } from 'dandori/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { answerIn } from '#dandori/conversation/interpret.ts';
import { createRequestKeys } from '../live/request-keys.ts';
import { useTexts } from '../shell/language.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/conversations.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  readonly conversation: string;
  /** The last message on the page; empty if there is none. */
  readonly lastShown: string;
}

/** The field for the next message. */
export function Speaker({ conversation, lastShown }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { conversations } = useClient();
  const [keys] = useState(createRequestKeys);
  const [text, setText] = useState('');
  /** The last message when the user began to type: a "yes" must not answer a question that arrived later. */
  const [seen, setSeen] = useState(lastShown);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a phone the keyboard would cover the messages.
    if (matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true });
  }, []);
  const [unclear, setUnclear] = useState<(Heard & { kind: 'unclear' })['questions']>();
  const speak = useMutation({
    mutationFn: (said: string) => conversations.say(conversation, said, { key: keys.keyFor(said), seen }),
    onSuccess(heard) {
      keys.done();
      if (heard.kind === 'unclear') {
        setUnclear(heard.questions);
        setSeen(lastShown);
        return;
      }
      setText('');
      // The reply appears at the bottom.
      window.scrollTo(0, document.documentElement.scrollHeight);
    },
  });
  const canSend = text.trim() !== '' && !speak.isPending;
  const send = () => canSend && speak.mutate(text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const type = (typed: string) => {
    if (text === '') setSeen(lastShown);
    setText(typed);
  };
  const goOn = () => {
    setUnclear(undefined);
    box.current?.focus();
  };
  const settled = () => {
    setText('');
    goOn();
  };
  return (
    <form
      onSubmit={submit}
      className="sticky bottom-0 -mx-4 flex flex-col gap-2 border-line border-t bg-paper px-4 py-3"
    >
      <Problem error={speak.error} />
      {unclear !== undefined && (
        <Unclear
          conversation={conversation}
          text={text.trim()}
          questions={unclear}
          onAnswered={settled}
          onLeave={goOn}
        />
      )}
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            ref={box}
            label={say.say}
            placeholder={say.say}
            rows={1}
            value={text}
            onType={type}
            onSend={send}
            className="max-h-[40vh]"
          />
        </div>
        <Button type="submit" look="main" disabled={!canSend}>
          {speak.isPending ? say.sending : word.send}
        </Button>
      </div>
      <p className="hidden text-faint text-xs sm:block">{say.sendHint}</p>
    </form>
  );
}

interface UnclearProps {
  readonly conversation: string;
  readonly text: string;
  readonly questions: (Heard & { kind: 'unclear' })['questions'];
  readonly onAnswered: () => void;
  readonly onLeave: () => void;
}

/** Asks which question the message answers, if there are several or one arrived while it was typed. */
function Unclear({ conversation, text, questions, onAnswered, onLeave }: UnclearProps) {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const answer = useMutation({
    mutationFn: ({ run, question }: UnclearProps['questions'][number]) =>
      conversations.answer(conversation, { run, question: question.id, answer: answerIn(text, question) }),
    onSuccess: onAnswered,
  });
  return (
    <div role="alert" className="flex flex-col items-start gap-2 text-sm">
      <p>{questions.length === 1 ? say.cameUp : say.unclear}</p>
      {questions.map((asked) => (
        <Button
          key={`${asked.run}/${asked.question.id}`}
          disabled={answer.isPending}
          onClick={() => answer.mutate(asked)}
          className="text-left"
        >
          {say.asAnswer(asked.question.text)}
        </Button>
      ))}
      <Button look="bare" onClick={onLeave}>
        {say.leave}
      </Button>
      <Problem error={answer.error} />
    </div>
  );
}
