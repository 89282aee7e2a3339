import type { Estimate } from '#domain/estimate.ts';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { duration } from '../ui/duration.ts';
import { Problem } from '../ui/problem.tsx';
import { texts } from './texts.ts';
import type { PlanCheck } from './use-plan-check.ts';

interface Props {
  readonly check: PlanCheck;
  readonly onPlace: (line: number, column: number) => void;
}

/** What the compiler says, in the lines of the text. */
export function PlanVerdict({ check: { checked, error, isChecking }, onPlace }: Props) {
  const say = useTexts(texts).plan;
  return (
    <div role="status" className="flex flex-col gap-2 text-sm">
      {isChecking && <p className="text-faint">{say.checking}</p>}
      {Boolean(error) && <Problem error={error} />}
      {checked?.ok === true && <p className="text-good">✓ {say.fine}</p>}
      {checked?.estimate && <EstimateLine estimate={checked.estimate} />}
      {checked?.ok === false && <p className="text-bad">✕ {say.wrong(checked.diagnostics?.length ?? 0)}</p>}
      {checked?.diagnostics && (
        <ul className="flex flex-col gap-1">
          {checked.diagnostics.map(({ line, column, code, message, hint }) => (
            <li key={`${line}:${column}:${code}:${message}`} className="flex flex-wrap gap-x-2">
              <button
                type="button"
                className="rounded text-accent tabular-nums underline"
                onClick={() => onPlace(line, column)}
              >
                {say.toPlace(line, column)}
              </button>
              <span className="min-w-0 break-words">
                {message} {hint !== undefined && <span className="text-faint">{hint}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
      {checked?.warnings && checked.warnings.length > 0 && (
        <ul aria-label={say.warnings} className="text-warn">
          {checked.warnings.map(({ code, task, message }) => (
            <li key={`${code}:${task}:${message}`}>⚠ {message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function EstimateLine({ estimate }: { readonly estimate: Estimate }) {
  const say = useTexts(texts).plan;
  const { language } = useLanguage();
  const { reads, writes, expectedMs, irreversible, cost } = estimate;
  const parts = [
    say.calls(reads, writes),
    ...(expectedMs === undefined ? [] : [say.expected(duration(expectedMs, language))]),
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
    ...(irreversible.length > 0 ? [say.irreversible(irreversible.join(', '))] : []),
  ];
  return <p className="text-faint">{parts.join(' · ')}</p>;
}
