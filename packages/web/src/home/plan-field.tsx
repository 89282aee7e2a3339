import { type ChangeEvent, useRef } from 'react';
import { useTexts } from '../shell/language.tsx';
import { TextField } from '../ui/text-field.tsx';
import { placeIn } from './place.ts';
import { PlanVerdict } from './plan-verdict.tsx';
import { texts } from './texts.ts';
import type { PlanCheck } from './use-plan-check.ts';

interface Props {
  readonly plan: string;
  readonly onPlan: (plan: string) => void;
  readonly check: PlanCheck;
  readonly onSend: () => void;
}

/** A plan file: typed, or read from a disk. */
export function PlanField({ plan, onPlan, check, onSend }: Props) {
  const say = useTexts(texts).plan;
  const field = useRef<HTMLTextAreaElement>(null);
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (file !== undefined) onPlan(await file.text());
    // The same file may be chosen again after it was changed.
    target.value = '';
  };
  const show = (line: number, column: number) => {
    const place = placeIn(plan, line, column);
    field.current?.focus();
    field.current?.setSelectionRange(place, place);
  };
  return (
    <div className="flex flex-col gap-2">
      <TextField
        ref={field}
        label={say.label}
        isLabelShown
        rows={6}
        spellCheck={false}
        placeholder={say.example}
        value={plan}
        onType={onPlan}
        onSend={onSend}
        aria-invalid={check.checked?.ok === false || Boolean(check.error)}
        className="max-h-[60vh] font-mono text-sm"
      />
      <label className="w-fit cursor-pointer rounded border border-line bg-sheet px-3 py-1 text-sm focus-within:outline-2 focus-within:outline-accent hover:bg-sunken">
        {say.choose}
        <input type="file" accept=".yaml,.yml,.json" onChange={read} className="sr-only" />
      </label>
      <PlanVerdict check={check} onPlace={show} />
    </div>
  );
}
