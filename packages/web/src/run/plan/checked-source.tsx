import type { PlacedDiagnostic } from 'dandori/client';
import { type ReactNode, useRef } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/plan.ts';
import { texts as problems } from '../../texts/problems.ts';
import { Label } from '../../ui/label.tsx';
import { Message } from '../../ui/message.tsx';
import { Problem } from '../../ui/problem.tsx';
import { EstimateView } from './estimate-view.tsx';
import { LINE_HEIGHT, SourceEditor } from './source-editor.tsx';
import { endOfLine, offsetOf } from './source-lines.ts';
import type { Checked } from './use-check.ts';

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
  const names = useTexts(problems);
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
                {one.code === 'plan-invalid' ? names.errors[one.code][0] : names.diagnostics[one.code]}
              </span>
              <code className="text-faint text-xs">{one.code}</code>
              <span className="text-faint text-xs">{say.line(one.line, one.column)}</span>
            </span>
            <span className="block [overflow-wrap:anywhere]">
              <Message text={one.message} />
            </span>
            {one.hint !== undefined && (
              <span className="block text-faint">
                <Label>{say.hint}</Label>
                <Message text={one.hint} />
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
