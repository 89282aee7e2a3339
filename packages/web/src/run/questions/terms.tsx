import { stringifyJson } from '#dandori/model/json.ts';
import type { AskedQuestion } from '#dandori/views/report.ts';
import { duration } from '#dandori/views/report.ts';
import { useNow } from '../../live/now.tsx';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly question: AskedQuestion;
  readonly isHeld: boolean;
}

const MOST_NAMED = 10;

/** Until when, for whom, and who waits for it. */
export function Terms({ question, isHeld }: Props) {
  const say = useTexts(texts);
  const { expiresAt, answerers, blocks, kind, task, default: fallback } = question;
  const shownDefault = typeof fallback === 'string' ? fallback : stringifyJson(fallback);
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

/** What has less than a minute left says so in colour too. */
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
      {say.expiresIn(duration(rounded).replace('.0 ', ' '))}
    </time>
  );
}
