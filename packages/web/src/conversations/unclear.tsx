import { useMutation } from '@tanstack/react-query';
import type { Heard } from 'dandori/client';
import { answerIn } from '#dandori/conversation/interpret.ts';
import { useTexts } from '../shell/language.tsx';
import { useClient } from '../shell/session.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly conversation: string;
  readonly text: string;
  readonly questions: (Heard & { kind: 'unclear' })['questions'];
  readonly onAnswered: () => void;
  readonly onLeave: () => void;
}

/** What was said could answer several questions, or one that came up meanwhile; its author says whether, and which. */
export function Unclear({ conversation, text, questions, onAnswered, onLeave }: Props) {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const answer = useMutation({
    mutationFn: ({ run, question }: Props['questions'][number]) =>
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
