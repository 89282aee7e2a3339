import type { Brief, Usage } from '#dandori/model/decision.ts';
import { duration } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { FailureView } from '../../ui/failure-view.tsx';
import { RichText } from '../../ui/rich-text.tsx';
import { words } from '../../ui/words.ts';
import { ActionList } from './action-list.tsx';
import { EntryFrame } from './entry-frame.tsx';
import type { DecisionEntry } from './story.ts';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly entry: DecisionEntry;
}

/** One turn of the mind: what it was asked, what it thought, what it wants done, and what that took. */
export function DecisionView({ run, entry }: Props) {
  const say = useTexts(texts);
  const { purposes } = useTexts(words);
  const { asked, made, failed } = entry;
  const ended = made ?? failed;
  const title = `${say.decision(asked.decision)} · ${purposes[asked.purpose]}`;
  const marks = (
    <>
      {ended?.model !== undefined && <Badge>{ended.model}</Badge>}
      {ended === undefined && <Badge look="warn">{say.thinking}</Badge>}
      {ended !== undefined && (
        <span className="text-faint text-xs">
          {[duration(ended.ms), ...(ended.usage ? [usageText(ended.usage, say)] : [])].join(' · ')}
        </span>
      )}
    </>
  );
  const wanted = asked.brief === undefined ? [] : briefTexts(asked.brief, say);
  return (
    <EntryFrame
      run={run}
      seq={entry.seq}
      at={entry.at}
      title={title}
      marks={marks}
      colour={failed === undefined ? 'border-l-accent' : 'border-l-bad'}
    >
      {wanted.length > 0 && (
        <p className="text-faint text-sm">
          {say.askedFor}: {wanted.join(' · ')}
        </p>
      )}
      {made?.reasoning !== undefined && (
        <div className="text-sm">
          <RichText text={made.reasoning} />
        </div>
      )}
      {made?.operations !== undefined && made.operations.length > 0 && (
        <ActionList label={say.actions} actions={made.operations} />
      )}
      {made?.repaired !== undefined && (
        <p className="text-sm text-warn [overflow-wrap:anywhere]">
          {say.repaired}: {made.repaired}
        </p>
      )}
      {failed !== undefined && <FailureView failure={failed.failure} />}
      {failed?.next !== undefined && <p className="text-sm">{say.fallback(failed.next)}</p>}
    </EntryFrame>
  );
}

type DecisionTexts = (typeof texts)['en'];

function usageText(usage: Usage, say: DecisionTexts): string {
  const { inputTokens, outputTokens, cachedInputTokens, cost, estimated } = usage;
  return [
    say.tokens(inputTokens, outputTokens),
    ...(cachedInputTokens === undefined || cachedInputTokens === 0 ? [] : [say.cached(cachedInputTokens)]),
    ...(cost === undefined ? [] : [`$${cost}`]),
    ...(estimated === true ? [say.estimated] : []),
  ].join(' · ');
}

function briefTexts({ steps, reflect, progress, loop, isContinued }: Brief, say: DecisionTexts): string[] {
  return [
    ...(steps === undefined ? [] : [say.steps(steps.join(', '))]),
    ...(reflect === undefined ? [] : [say.lookBack[reflect]]),
    ...(progress === undefined ? [] : [say.progress(progress.done, progress.total)]),
    ...(loop === undefined ? [] : [say.circle]),
    ...(isContinued === true ? [say.continued] : []),
  ];
}
