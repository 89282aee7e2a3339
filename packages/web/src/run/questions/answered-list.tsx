import { stringifyJson } from '#dandori/model/json.ts';
import { editedTasks } from '#dandori/run/state/plan.ts';
import type { OpenQuestion } from '#dandori/run/state/state.ts';
import { questionIn } from '#dandori/views/texts/question-text.ts';
import { useLanguage, useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/questions.ts';
import { type Words, words } from '../../texts/words.ts';
import { ClockTime } from '../../ui/time.tsx';

export function AnsweredList({ questions }: { readonly questions: readonly OpenQuestion[] }) {
  const say = useTexts(texts);
  const { language } = useLanguage();
  if (questions.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-faint">{say.answered(questions.length)}</summary>
      <ul className="mt-2 flex flex-col gap-2 border-line border-l-2 pl-3">
        {questions.map((asked) => (
          <li key={asked.question.id}>
            <p className="[overflow-wrap:anywhere]">{questionIn(asked.question, language).text}</p>
            <AnswerLine asked={asked} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The answer, its author and its time. */
export function AnswerLine({ asked }: { readonly asked: OpenQuestion }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { answer } = asked;
  if (answer === undefined) return null;
  return (
    <p className="text-faint text-sm [overflow-wrap:anywhere]">
      <span className="font-medium text-ink">{answerText(asked, { say, statuses: word.statuses })}</span>
      {answer.comment !== undefined && answer.isExpired !== true && ` “${answer.comment}”`}{' '}
      {answer.by !== undefined && `${word.by(answer.by)} `}· <ClockTime at={answer.at} />
    </p>
  );
}

type QuestionTexts = (typeof texts)['en'];

export function answerText(
  { question, answer }: OpenQuestion,
  { say, statuses }: { readonly say: QuestionTexts; readonly statuses: Words['statuses'] },
): string {
  if (answer === undefined) return '';
  const { value, declined, isExpired } = answer;
  if (isExpired === true && declined === true) return say.wasExpired;
  if (declined === true) return say.declined;
  const isPlan = question.kind === 'plan_approval';
  if (isPlan && editedTasks(value) !== undefined) return say.edited;
  if (isPlan && value === 'approve') return statuses.approved;
  if (isPlan && value === 'reject') return statuses.rejected;
  const same = stringifyJson(value);
  const option = question.options?.find((one) => stringifyJson(one.value) === same);
  return option?.label ?? (typeof value === 'string' ? value : same);
}
