import { isOnlyHolding } from '#dandori/run/state/held-calls.ts';
import { useLanguage, useTexts } from '../../shell/language.tsx';
import { Elapsed } from '../elapsed.tsx';
import type { ViewProps } from '../view.ts';
import { texts } from './texts.ts';

/** What it has taken so far, and of what there is a limit, how much there may be. */
export function Figures({ state, news }: ViewProps) {
  const say = useTexts(texts);
  const { language } = useLanguage();
  const { usage, calls, activeMs, settings, end, isTakenUp, lastAt } = state;
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
      <Figure name={say.mode}>{say.modes[settings.mode]}</Figure>
      <Figure name={say.mind}>{state.mind}</Figure>
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
