import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { asText, type Json } from '#dandori/model/json.ts';
import { type AskedQuestion, durationText } from '#dandori/views/report.ts';
import { useNow } from '../../live/now.tsx';
import { useQuestion, useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/questions.ts';
import { shownKind, words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/marks.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ContextView } from './context-view.tsx';
import { Form, INPUT } from './form.tsx';
import { FreeText, Options } from './options.tsx';
import { PlanApproval } from './plan-approval.tsx';

interface Props {
  readonly run: string;
  readonly question: AskedQuestion;
  readonly isHeld: boolean;
  readonly isPast: boolean;
  /** True as soon as the answer is sent, false if the server refused it. */
  readonly onSent: (isSent: boolean) => void;
}

/** A question: what it is about, then how it is answered. */
export function QuestionCard({ run, question: asked, isHeld, isPast, onSent }: Props) {
  const question = useQuestion(asked);
  const word = useTexts(words);
  const say = useTexts(texts);
  const id = useId();
  const { kind, text, context, url } = question;
  return (
    <article
      aria-labelledby={id}
      className="flex flex-col gap-3 rounded-lg border border-line border-l-4 border-l-warn bg-sheet p-4"
    >
      <div className="flex flex-col items-start gap-1">
        <Badge look="warn">{word.questions[shownKind(question)]}</Badge>
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
  const word = useTexts(words);
  const say = useTexts(texts);
  const [comment, setComment] = useState<string>();
  const reply = useReply(run, question.id, onSent);
  const send = (answer?: Json) =>
    reply.mutate({
      ...(answer !== undefined && { answer }),
      ...(comment !== undefined && { comment }),
    });
  const { kind } = question;
  // These kinds have "no" among their options.
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
            {word.answers.decline}
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

interface TermsProps {
  readonly question: AskedQuestion;
  readonly isHeld: boolean;
}

const MOST_NAMED = 10;

/** Expiry, allowed users, and the tasks that wait. */
function Terms({ question, isHeld }: TermsProps) {
  const say = useTexts(texts);
  const { expiresAt, answerers, blocks, kind, task, default: fallback } = question;
  const shownDefault = asText(fallback);
  const named = blocks.slice(0, MOST_NAMED).join(', ');
  const more = blocks.length > MOST_NAMED ? ` … (+${blocks.length - MOST_NAMED})` : '';
  const blocksRun = task === undefined && kind !== 'plan_approval';
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-0.5 text-faint text-xs [overflow-wrap:anywhere]">
      {expiresAt !== undefined && (
        <li>
          <Countdown until={expiresAt} />
        </li>
      )}
      {fallback !== undefined && <li>{say.byDefault(shownDefault)}</li>}
      {answerers !== undefined && <li>{say.mayAnswer(answerers.join(', '))}</li>}
      {isHeld && <li>{say.held}</li>}
      {blocksRun && <li>{say.blocksRun}</li>}
      {!blocksRun && kind !== 'plan_approval' && blocks.length > 0 && (
        <li>{say.blocks(`${named}${more}`)}</li>
      )}
    </ul>
  );
}

/** The last minute is coloured. */
function Countdown({ until }: { readonly until: number }) {
  const say = useTexts(texts);
  const now = useNow({ every: 1_000 });
  const left = until - now;
  if (left <= 0) return <span className="text-bad">{say.expired}</span>;
  const rounded = Math.ceil(left / 1_000) * 1_000;
  return (
    <time
      dateTime={new Date(until).toISOString()}
      title={new Date(until).toLocaleString()}
      className={left < 60_000 ? 'text-warn' : undefined}
    >
      {say.expiresIn(durationText(rounded).replace('.0 ', ' '))}
    </time>
  );
}

/** A link to a page where the user does what is asked. It is never opened automatically, and its host is shown. */
function PageLink({ url }: { readonly url: string }) {
  const say = useTexts(texts);
  const page = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = page?.protocol === 'https:' || page?.protocol === 'http:';
  return (
    <div className="rounded border border-line bg-paper p-3 text-sm">
      {isWeb ? (
        <a
          href={page.href}
          target="_blank"
          rel="noreferrer noopener"
          className="font-medium text-accent underline"
        >
          {say.open(page.host)} <span aria-hidden="true">↗</span>
        </a>
      ) : (
        <p className="text-warn">{say.notOpened}</p>
      )}
      <p className="mt-1 font-mono text-faint text-xs [overflow-wrap:anywhere]">{url}</p>
    </div>
  );
}

interface Reply {
  /** Undefined to decline. */
  readonly answer?: Json;
  readonly comment?: string;
}

/** Sends an answer. The card disappears when the run has the answer. */
function useReply(run: string, question: string, onSent: (isSent: boolean) => void) {
  const client = useClient();
  return useMutation({
    mutationFn: ({ answer, comment }: Reply) =>
      client.answer(run, question, answer ?? null, {
        ...(answer === undefined && { declined: true }),
        ...(comment !== undefined && comment.trim() !== '' && { comment: comment.trim() }),
      }),
    onMutate: () => onSent(true),
    onError: () => onSent(false),
  });
}
