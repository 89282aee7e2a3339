import { isOnlyHolding } from '#dandori/run/state/state.ts';
import { useLanguage, useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/steering.ts';
import { words } from '../../texts/words.ts';
import { AttachedFiles } from '../../ui/files.tsx';
import { StatusMark } from '../../ui/marks.tsx';
import { ForkedFrom } from '../past/difference.tsx';
import { Elapsed, statusOfRun, type ViewProps } from '../view.tsx';
import { Steering } from './steering.tsx';

/** The goal, the status and the actions of a run. */
export function Head(props: ViewProps) {
  const word = useTexts(words);
  const { state, isPast } = props;
  const hasEnded = state.end !== undefined;
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <h1 className="line-clamp-4 min-w-0 max-w-full flex-1 basis-80 text-balance break-words font-semibold text-xl leading-snug">
          {state.goal}
        </h1>
        {!isPast && <Steering {...props} />}
      </div>
      <AttachedFiles files={state.attachments} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-faint text-sm">
        <span role="status" className="contents">
          <StatusMark status={statusOfRun(props)} />
        </span>
        {state.thinking !== undefined && !hasEnded && <span className="text-busy">{word.thinking}</span>}
        <Figures {...props} />
      </div>
      {state.paused !== undefined && !hasEnded && (
        <p className="text-sm text-warn">{word.paused(state.paused.by, state.paused.reason)}</p>
      )}
      {state.cancel !== undefined && (
        <p className="text-faint text-sm">{word.cancelled(state.cancel.reason)}</p>
      )}
      <ForkedFrom {...props} />
    </header>
  );
}

/** What the run has used so far, with the limits that it has. */
function Figures({ state, news }: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { language } = useLanguage();
  const { usage, modelCalls: calls, activeMs, settings, end, isTakenUp, lastAt } = state;
  const number = (value: number) => value.toLocaleString(language);
  const dollars = (value: number) =>
    value.toLocaleString(language, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
  const isCounting = end === undefined && isTakenUp && news.driving === 'driving' && !isOnlyHolding(state);
  const tokens = usage.inputTokens + usage.outputTokens;
  const { limits } = settings;
  return (
    <dl
      aria-label={say.figures}
      className="flex flex-wrap gap-x-4 gap-y-1 text-sm [&_dd]:text-ink [&_dd]:tabular-nums"
    >
      <Figure name={say.elapsed}>
        <Elapsed ms={activeMs} since={isCounting ? lastAt : undefined} />
      </Figure>
      <Figure name={say.calls} limit={number(limits.calls)}>
        {number(calls)}
      </Figure>
      {tokens > 0 && (
        <Figure
          name={say.tokens}
          title={say.tokensInOut(number(usage.inputTokens), number(usage.outputTokens))}
          {...(limits.tokens !== undefined && { limit: number(limits.tokens) })}
        >
          {usage.estimated === true && '≈'}
          {number(tokens)}
        </Figure>
      )}
      {usage.cost !== undefined && (
        <Figure name={say.cost} {...(limits.cost !== undefined && { limit: dollars(limits.cost) })}>
          {dollars(usage.cost)}
        </Figure>
      )}
      <Figure name={say.mode}>{word.modes[settings.mode]}</Figure>
      <Figure name={say.model}>{state.mind === 'built-in' ? say.builtIn : state.mind}</Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly limit?: string;
  readonly title?: string;
  readonly children: React.ReactNode;
}

function Figure({ name, limit, title, children }: FigureProps) {
  const say = useTexts(texts);
  return (
    <div className="flex items-baseline gap-1.5" title={title}>
      <dt className="text-xs">{name}</dt>
      <dd>
        {children}
        {limit !== undefined && (
          <span className="text-faint text-xs">
            {' '}
            {say.of} {limit}
          </span>
        )}
      </dd>
    </div>
  );
}
