import { useMutation } from '@tanstack/react-query';
import type { SayResult } from 'dandori/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { questionIn } from '#dandori/views/texts/question-text.ts';
import { createRequestKeys } from '../live/request-keys.ts';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/conversations.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { ChosenFiles, dropOf, FileButton, identityOf } from '../ui/files.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  readonly conversation: string;
  /** The last message on the page; empty if there is none. */
  readonly lastShown: string;
}

/** The field for the next message. */
export function MessageForm({ conversation, lastShown }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { conversations } = useClient();
  const [keys] = useState(createRequestKeys);
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const add = (more: Iterable<File>) => setFiles((known) => [...known, ...more]);
  /** The last message when the user began to type: a "yes" must not answer a question that arrived later. */
  const [seen, setSeen] = useState(lastShown);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a phone the keyboard would cover the messages.
    if (matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true });
  }, []);
  const [unclear, setUnclear] = useState<SayResult & { kind: 'unclear' }>();
  const speak = useMutation({
    mutationFn: (said: string) =>
      conversations.say(conversation, said, {
        key: keys.keyFor([said, identityOf(files)]),
        seen,
        attachments: files,
      }),
    onSuccess(heard) {
      keys.done();
      if (heard.kind === 'unclear') {
        setUnclear(heard);
        setSeen(lastShown);
        return;
      }
      setText('');
      setFiles([]);
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
      {...dropOf(add)}
      className="sticky bottom-0 -mx-4 flex flex-col gap-2 border-line border-t bg-paper px-4 py-3"
    >
      <Problem error={speak.error} />
      {unclear !== undefined && (
        <Unclear
          conversation={conversation}
          text={text.trim()}
          heard={unclear}
          onAnswered={settled}
          onLeave={goOn}
        />
      )}
      <ChosenFiles files={files} onFiles={setFiles} />
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
      <div className="flex items-center justify-between">
        <p className="hidden text-faint text-xs sm:block">{say.sendHint}</p>
        <FileButton onFiles={add} />
      </div>
    </form>
  );
}

interface UnclearProps {
  readonly conversation: string;
  readonly text: string;
  readonly heard: SayResult & { kind: 'unclear' };
  readonly onAnswered: () => void;
  readonly onLeave: () => void;
}

/** The words do not answer the question, so sending them again as its answer would not help. */
function isUnread(why: (SayResult & { kind: 'unclear' })['why']): boolean {
  return why === 'only_one' || why === 'which' || why === 'clear_yes';
}

/** Says why the message answers no question, and asks which one it answers if there are several. */
function Unclear({ conversation, text, heard: { why, questions }, onAnswered, onLeave }: UnclearProps) {
  const say = useTexts(texts);
  const { language } = useLanguage();
  const { conversations } = useClient();
  const answer = useMutation({
    mutationFn: ({ run, question }: UnclearProps['heard']['questions'][number]) =>
      conversations.answer(conversation, { run, question: question.id, answer: text }),
    onSuccess: onAnswered,
  });
  return (
    <div role="alert" className="flex flex-col items-start gap-2 text-sm">
      <p>{say.unclear[why]}</p>
      {(isUnread(why) ? [] : questions).map((asked) => (
        <Button
          key={`${asked.run}/${asked.question.id}`}
          disabled={answer.isPending}
          onClick={() => answer.mutate(asked)}
          className="text-left"
        >
          {say.asAnswer(questionIn(asked.question, language).text)}{' '}
          <span className="text-faint">({asked.goal})</span>
        </Button>
      ))}
      <Button look="bare" onClick={onLeave}>
        {say.leave}
      </Button>
      <Problem error={answer.error} />
    </div>
  );
}
