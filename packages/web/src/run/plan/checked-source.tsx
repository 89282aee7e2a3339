import type { PlacedDiagnostic } from 'dandori/client';
import { type ReactNode, useRef } from 'react';
import { Problem } from '../../ui/problem.tsx';
import { DiagnosticList } from './diagnostic-list.tsx';
import { EstimateView } from './estimate-view.tsx';
import { LINE_HEIGHT, SourceEditor } from './source-editor.tsx';
import { endOfLine, offsetOf } from './source-lines.ts';
import type { Checked } from './use-check.ts';

interface Props {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly checked: Checked;
  /** Between the text and what is said of it. */
  readonly children: ReactNode;
}

/** The text of a plan, with what the compiler says of it and where. */
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
