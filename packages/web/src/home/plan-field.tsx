import type { PlacedDiagnostic } from 'dandori/client';
import { type ChangeEvent, type KeyboardEvent, useRef } from 'react';
import { DiagnosticList } from '../run/plan/diagnostic-list.tsx';
import { EstimateView } from '../run/plan/estimate-view.tsx';
import { SourceEditor } from '../run/plan/source-editor.tsx';
import { endOfLine, offsetOf } from '../run/plan/source-lines.ts';
import { useTexts } from '../shell/language.tsx';
import { Problem } from '../ui/problem.tsx';
import { texts } from './texts.ts';
import type { PlanCheck } from './use-plan-check.ts';

interface Props {
  readonly plan: string;
  readonly onPlan: (plan: string) => void;
  readonly check: PlanCheck;
  readonly onSend: () => void;
}

/** A plan file: typed, or read from a disk; with what the compiler says of it. */
export function PlanField({ plan, onPlan, check: { checked, error, isChecking }, onSend }: Props) {
  const say = useTexts(texts).plan;
  const field = useRef<HTMLTextAreaElement>(null);
  const { diagnostics = [], warnings = [], estimate, ok } = checked ?? {};
  const marks = [
    ...diagnostics.map(({ line }) => ({ line, look: 'bad' as const })),
    ...warnings.map(({ line }) => ({ line, look: 'warn' as const })),
  ];
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (file !== undefined) onPlan(await file.text());
    // The same file may be chosen again after it was changed.
    target.value = '';
  };
  const jump = ({ line, column }: PlacedDiagnostic) => {
    const start = offsetOf(plan, line, column);
    field.current?.focus();
    field.current?.setSelectionRange(start, endOfLine(plan, start));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    onSend();
  };
  return (
    <fieldset className="flex flex-col gap-2" onKeyDownCapture={press}>
      <legend className="sr-only">{say.label}</legend>
      <SourceEditor text={plan} onChange={onPlan} marks={marks} field={field} />
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <label className="w-fit cursor-pointer rounded border border-line bg-sheet px-3 py-1 focus-within:outline-2 focus-within:outline-accent hover:bg-sunken">
          {say.choose}
          <input type="file" accept=".yaml,.yml,.json" onChange={read} className="sr-only" />
        </label>
        <p role="status">
          {isChecking && <span className="text-faint">{say.checking}</span>}
          {ok === true && <span className="text-good">✓ {say.fine}</span>}
          {ok === false && <span className="text-bad">✕ {say.wrong(diagnostics.length)}</span>}
        </p>
      </div>
      <Problem error={error} />
      <DiagnosticList diagnostics={diagnostics} warnings={warnings} onJump={jump} />
      {estimate !== undefined && <EstimateView estimate={estimate} />}
    </fieldset>
  );
}
