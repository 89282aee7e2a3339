import type { PlacedDiagnostic } from 'dandori/client';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly diagnostics: readonly PlacedDiagnostic[];
  readonly warnings: readonly PlacedDiagnostic[];
  readonly onJump: (place: PlacedDiagnostic) => void;
}

/** What the compiler says; each leads to its place. */
export function DiagnosticList({ diagnostics, warnings, onJump }: Props) {
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
