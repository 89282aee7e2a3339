import type { PlacedDiagnostic } from 'dandori/client';
import { type ReactNode, useRef } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { EstimateView } from './estimate-view.tsx';
import { LINE_HEIGHT, SourceEditor } from './source-editor.tsx';
import { endOfLine, offsetOf } from './source-lines.ts';
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
  const field = useRef<HTMLTextAreaElement>(null);
  const { result, isCurrent, error } = useCheck(text, within);
  const { diagnostics = [], warnings = [], estimate } = result ?? {};
  const jump = ({ line, column }: PlacedDiagnostic) => {
    const start = offsetOf(text, line, column);
    field.current?.focus();
    field.current?.setSelectionRange(start, endOfLine(text, start));
    field.current?.scrollTo({ top: Math.max(0, line - 5) * LINE_HEIGHT });
  };
  const marks = [
    ...diagnostics.map(({ line }) => ({ line, look: 'bad' as const })),
    ...warnings.map(({ line }) => ({ line, look: 'warn' as const })),
  ];
  return (
    <div className="flex flex-col gap-3">
      <SourceEditor text={text} onChange={onChange} marks={marks} field={field} />
      <p role="status" className="flex flex-wrap gap-x-3 text-faint text-sm">
        <span className={diagnostics.length > 0 ? 'text-bad' : ''}>
          {!isCurrent && error === null
            ? say.checking
            : diagnostics.length > 0
              ? say.problems(diagnostics.length)
              : error === null && say.compiles}
        </span>
        {isChanged && <span>{say.kept}</span>}
      </p>
      <Problem error={error} />
      <DiagnosticList diagnostics={diagnostics} warnings={warnings} onJump={jump} />
      {estimate !== undefined && <EstimateView estimate={estimate} />}
      <div className="flex flex-wrap gap-2">
        {action(isCurrent && result?.ok === true)}
        {onDiscard !== undefined && <Button onClick={onDiscard}>{say.discard}</Button>}
      </div>
    </div>
  );
}
