import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CheckedPlan, PlacedDiagnostic } from 'dandori/client';
import { type ReactNode, useRef } from 'react';
import { useSettled } from '../../live/use-settled.ts';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/plan.ts';
import { Problem } from '../../ui/problem.tsx';
import { EstimateView } from './estimate-view.tsx';
import { LINE_HEIGHT, SourceEditor } from './source-editor.tsx';
import { endOfLine, offsetOf } from './source-lines.ts';

interface Props {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly checked: Checked;
  /** Shown between the text and its problems. */
  readonly children: ReactNode;
}

/** The text of a plan with its problems and their lines. */
export function CheckedSource({ text, onChange, checked: { result, error }, children }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { diagnostics = [], warnings = [], estimate } = result ?? {};
  const marks = [
    ...diagnostics.map(({ line }) => ({ line, look: 'bad' as const })),
    ...warnings.map(({ line }) => ({ line, look: 'warn' as const })),
  ];
  const jump = ({ line, column }: PlacedDiagnostic) => {
    const start = offsetOf(text, line, column);
    field.current?.focus();
    field.current?.setSelectionRange(start, endOfLine(text, start));
    field.current?.scrollTo({ top: Math.max(0, line - 5) * LINE_HEIGHT });
  };
  return (
    <>
      <SourceEditor text={text} onChange={onChange} marks={marks} field={field} />
      {children}
      <Problem error={error} />
      <DiagnosticList diagnostics={diagnostics} warnings={warnings} onJump={jump} />
      {estimate !== undefined && <EstimateView estimate={estimate} />}
    </>
  );
}

interface DiagnosticListProps {
  readonly diagnostics: readonly PlacedDiagnostic[];
  readonly warnings: readonly PlacedDiagnostic[];
  readonly onJump: (place: PlacedDiagnostic) => void;
}

/** Problems and warnings; each jumps to its line. */
function DiagnosticList({ diagnostics, warnings, onJump }: DiagnosticListProps) {
  const say = useTexts(texts);
  if (diagnostics.length + warnings.length === 0) return null;
  const all = [
    ...diagnostics.map((one) => ({ one, isWarning: false })),
    ...warnings.map((one) => ({ one, isWarning: true })),
  ];
  return (
    <ul aria-label={say.diagnostics} className="flex max-h-72 flex-col gap-1 overflow-auto">
      {all.map(({ one, isWarning }) => (
        <li key={`${one.line}:${one.column}:${one.code}:${one.message}`}>
          <button
            type="button"
            onClick={() => onJump(one)}
            className={`w-full rounded border-l-2 bg-paper px-3 py-1.5 text-left text-sm hover:bg-sunken ${isWarning ? 'border-warn' : 'border-bad'}`}
          >
            <span className="flex flex-wrap items-baseline gap-x-2">
              <span className={isWarning ? 'text-warn' : 'text-bad'}>
                <span aria-hidden="true">{isWarning ? '⚠ ' : '✕ '}</span>
                {isWarning && `${say.warning}: `}
                {one.code}
              </span>
              <span className="text-faint text-xs">{say.line(one.line, one.column)}</span>
            </span>
            <span className="block [overflow-wrap:anywhere]">{one.message}</span>
            {one.hint !== undefined && (
              <span className="block text-faint">
                {say.hint}: {one.hint}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

export interface Checked {
  /** The result of the last check, which may be older than the text. */
  readonly result: CheckedPlan | undefined;
  readonly isCurrent: boolean;
  readonly error: unknown;
}

/** Checks a plan, alone or within its run, shortly after the last key press. */
export function useCheck(text: string, within?: { readonly run: string; readonly at?: number }): Checked {
  const client = useClient();
  const settled = useSettled(text);
  const isEmpty = settled.trim() === '';
  const { data, isPlaceholderData, error } = useQuery({
    queryKey: ['check', within?.run, within?.at, settled],
    queryFn: () => client.check(settled, within),
    enabled: !isEmpty,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const isCurrent = settled === text && (isEmpty || (!isPlaceholderData && data !== undefined));
  return { result: isEmpty ? undefined : data, isCurrent, error };
}
