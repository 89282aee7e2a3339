import type { ChangeEvent, KeyboardEvent } from 'react';
import { CheckedSource } from '../run/plan/checked-source.tsx';
import type { Checked } from '../run/plan/use-check.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/home.ts';
import { words } from '../texts/words.ts';

interface PlanFieldProps {
  readonly plan: string;
  readonly onPlan: (plan: string) => void;
  readonly checked: Checked;
  readonly onSend: () => void;
}

/** A plan file, typed or chosen, with its problems. */
export default function PlanField({ plan, onPlan, checked, onSend }: PlanFieldProps) {
  const word = useTexts(words);
  const say = useTexts(texts).plan;
  const { result, isCurrent, error } = checked;
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (file !== undefined) onPlan(await file.text());
    // The user may choose the same file again after changing it.
    target.value = '';
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
      <CheckedSource text={plan} onChange={onPlan} checked={checked}>
        <div className="flex flex-wrap items-center gap-3 text-sm">
          <label className="w-fit cursor-pointer rounded border border-line bg-sheet px-3 py-1 focus-within:outline-2 focus-within:outline-accent hover:bg-sunken">
            {say.choose}
            <input type="file" accept=".yaml,.yml,.json" onChange={read} className="sr-only" />
          </label>
          <p role="status">
            {!isCurrent && error === null && <span className="text-faint">{word.checking}</span>}
            {isCurrent && result?.ok === true && <span className="text-good">✓ {word.valid}</span>}
            {isCurrent && result?.ok === false && (
              <span className="text-bad">✕ {word.problems(result.diagnostics?.length ?? 0)}</span>
            )}
          </p>
        </div>
      </CheckedSource>
    </fieldset>
  );
}
