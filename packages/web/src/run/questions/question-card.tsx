import { type ReactNode, useId, useState } from 'react';
import type { Json } from '#dandori/model/json.ts';
import type { AskedQuestion } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ContextView } from './context-view.tsx';
import { INPUT } from './field-input.tsx';
import { Form } from './form.tsx';
import { FreeText } from './free-text.tsx';
import { Options } from './options.tsx';
import { PageLink } from './page-link.tsx';
import { PlanApproval } from './plan-approval.tsx';
import { Terms } from './terms.tsx';
import { texts } from './texts.ts';
import { useReply } from './use-reply.ts';

interface Props {
  readonly run: string;
  readonly question: AskedQuestion;
  readonly isHeld: boolean;
  readonly isPast: boolean;
  /** True as soon as it is on its way, false where the server refused it. */
  readonly onSent: (isSent: boolean) => void;
}

/** A question: what it is about, then how it is answered. */
export function QuestionCard({ run, question, isHeld, isPast, onSent }: Props) {
  const say = useTexts(texts);
  const id = useId();
  const { kind, text, context, url } = question;
  return (
    <article
      aria-labelledby={id}
      className="flex flex-col gap-3 rounded-lg border border-line border-l-4 border-l-warn bg-sheet p-4"
    >
      <div className="flex flex-col items-start gap-1">
        <Badge look="warn">{say.kinds[kind]}</Badge>
        <h3 id={id} className="whitespace-pre-wrap font-medium [overflow-wrap:anywhere]">
          {text}
        </h3>
        <Terms question={question} isHeld={isHeld} />
      </div>
      {kind === 'plan_approval' ? (
        <PlanApproval run={run} question={question} isPast={isPast} onSent={onSent} />
      ) : (
        <>
          <ContextView context={context} />
          {url !== undefined && <PageLink url={url} />}
          {isPast ? (
            <p className="text-faint text-sm">{say.past}</p>
          ) : (
            <Replying run={run} question={question} onSent={onSent} />
          )}
        </>
      )}
    </article>
  );
}

function Replying({ run, question, onSent }: Pick<Props, 'run' | 'question' | 'onSent'>) {
  const say = useTexts(texts);
  const [comment, setComment] = useState<string>();
  const reply = useReply(run, question.id, onSent);
  const send = (answer?: Json) =>
    reply.mutate({
      ...(answer !== undefined && { answer }),
      ...(comment !== undefined && { comment }),
    });
  const { kind } = question;
  // Who is asked for a yes has a no among the options.
  const hasNo = kind === 'approval' || kind === 'in_doubt';
  return (
    <div className="flex flex-col gap-3">
      {comment !== undefined && (
        <label className="flex flex-col gap-1 font-medium text-sm">
          {kind === 'approval' ? say.reason : say.comment}
          <textarea
            rows={2}
            value={comment}
            onChange={({ target }) => setComment(target.value)}
            className={`${INPUT} font-normal`}
          />
        </label>
      )}
      <Ways question={question} isBusy={reply.isPending} onAnswer={send} />
      <div className="flex flex-wrap gap-1">
        {!hasNo && (
          <Button look="bare" disabled={reply.isPending} onClick={() => send()}>
            {say.decline}
          </Button>
        )}
        {comment === undefined && (
          <Button look="bare" onClick={() => setComment('')}>
            {say.addComment}
          </Button>
        )}
      </div>
      <Problem error={reply.error} />
    </div>
  );
}

interface WaysProps {
  readonly question: AskedQuestion;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: Json) => void;
}

function Ways({ question: { kind, form, options = [] }, isBusy, onAnswer }: WaysProps): ReactNode {
  if (form !== undefined) return <Form form={form} isBusy={isBusy} onAnswer={onAnswer} />;
  if (options.length > 0)
    return <Options kind={kind} options={options} isBusy={isBusy} onAnswer={onAnswer} />;
  return <FreeText isBusy={isBusy} onAnswer={onAnswer} />;
}
