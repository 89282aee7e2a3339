import type { ReactNode } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { ClockTime } from '../../ui/clock-time.tsx';
import { RichText } from '../../ui/rich-text.tsx';
import { AnswerLine } from '../questions/answered-list.tsx';
import { texts } from './texts.ts';
import type { ThreadEntry } from './thread.ts';

/** What somebody said: people on the left of the line, the run on its right. */
export function Message({ entry }: { readonly entry: ThreadEntry }) {
  const say = useTexts(texts);
  const [name, body] = contentOf(entry, say);
  const by = 'by' in entry ? entry.by : undefined;
  return (
    <li className="flex flex-col gap-0.5 border-line border-l-2 pl-3">
      <p className="flex flex-wrap gap-x-2 text-faint text-xs">
        <span>{name}</span>
        {by !== undefined && <span>{by}</span>}
        <ClockTime at={entry.at} />
      </p>
      <div className="text-sm">{body}</div>
    </li>
  );
}

type AnswerTexts = (typeof texts)['en'];

function contentOf(entry: ThreadEntry, say: AnswerTexts): readonly [name: string, body: ReactNode] {
  switch (entry.kind) {
    case 'goal':
      return [say.goal, <RichText key="goal" text={entry.text} />];
    case 'note':
      return [
        entry.passedOnBy === undefined ? say.note : say.passedOn(entry.passedOnBy.run),
        <RichText key="note" text={entry.text} />,
      ];
    case 'question':
      return [
        say.question,
        <div key="question">
          <RichText text={entry.asked.question.text} />
          <AnswerLine asked={entry.asked} />
        </div>,
      ];
    case 'paused':
      return [say.you, say.paused(entry.reason)];
    case 'continued':
      return [say.you, say.continued];
    case 'cancelled':
      return [
        entry.passedOnBy === undefined ? say.you : say.passedOn(entry.passedOnBy.run),
        say.cancelled(entry.reason),
      ];
    case 'budget':
      return [say.you, say.budget(amountsText(entry.amounts))];
  }
}

function amountsText({ by: _, ...amounts }: Extract<ThreadEntry, { kind: 'budget' }>['amounts']): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `${name} +${amount}`)
    .join(', ');
}
