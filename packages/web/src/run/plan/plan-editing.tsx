import type { ReactNode } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckedSource } from './checked-source.tsx';
import { texts } from './texts.ts';
import { useCheck } from './use-check.ts';

interface Props {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly within: { readonly run: string; readonly at?: number };
  readonly isChanged: boolean;
  /** Absent where there is nothing to go back from. */
  readonly onDiscard: (() => void) | undefined;
  /** The button that carries it out; it is given whether the plan may be. */
  readonly action: (mayGo: boolean) => ReactNode;
}

/** A plan that is being edited, with what the compiler says of it. */
export function PlanEditing({ text, onChange, within, isChanged, onDiscard, action }: Props) {
  const say = useTexts(texts);
  const checked = useCheck(text, within);
  const { result, isCurrent, error } = checked;
  const wrong = result?.diagnostics?.length ?? 0;
  return (
    <div className="flex flex-col gap-3">
      <CheckedSource text={text} onChange={onChange} checked={checked}>
        <p role="status" className="flex flex-wrap gap-x-3 text-faint text-sm">
          <span className={wrong > 0 ? 'text-bad' : ''}>
            {!isCurrent && error === null
              ? say.checking
              : wrong > 0
                ? say.problems(wrong)
                : error === null && say.compiles}
          </span>
          {isChanged && <span>{say.kept}</span>}
        </p>
      </CheckedSource>
      <div className="flex flex-wrap gap-2">
        {action(isCurrent && result?.ok === true)}
        {onDiscard !== undefined && <Button onClick={onDiscard}>{say.discard}</Button>}
      </div>
    </div>
  );
}
