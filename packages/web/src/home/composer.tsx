import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type KeyboardEvent, type RefObject, useState } from 'react';
import { type ApprovalPolicy, approvalPolicy, type Mode, mode as modes } from '#dandori/model/settings.ts';
import { createRequestKeys } from '../live/request-keys.ts';
import { type Checked, CheckedSource, useCheck } from '../run/plan/checked-source.tsx';
import { useTexts } from '../shell/language.tsx';
import { goTo } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/home.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { Choice, TextField } from '../ui/fields.tsx';
import { SendForm } from '../ui/send-form.tsx';

interface Props {
  readonly goal: string;
  readonly onGoal: (goal: string) => void;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** The form that starts a run. */
export function Composer({ goal, onGoal, field }: Props) {
  const say = useTexts(texts);
  const word = useTexts(words);
  const client = useClient();
  const queries = useQueryClient();
  const [keys] = useState(createRequestKeys);
  const [mode, setMode] = useState<ChosenMode>('configured');
  const [approval, setApproval] = useState<ChosenApproval>('configured');
  const [plan, setPlan] = useState<string>();
  const checked = useCheck(plan ?? '');
  // The result may be for an older text.
  const result = checked.isCurrent ? checked.result : undefined;
  const wanted = goal.trim() || (result?.goal ?? '');
  const start = useMutation({
    mutationFn() {
      const request = {
        ...(mode !== 'configured' && { mode }),
        ...(approval !== 'configured' && { approval }),
        ...(plan !== undefined && { plan }),
      };
      return client.start(wanted, { ...request, key: keys.keyFor([wanted, request]) });
    },
    onSuccess(run) {
      keys.done();
      void queries.invalidateQueries({ queryKey: ['runs'] });
      goTo({ at: 'run', run, view: 'graph' });
    },
  });
  const canStart = wanted !== '' && !start.isPending && (plan === undefined || result?.ok === true);
  const send = () => canStart && start.mutate();
  const hints = [
    mode !== 'configured' && say.modeHints[mode],
    approval !== 'configured' && say.approvalHints[approval],
  ];
  const choices = (
    <>
      <Choice
        label={say.mode}
        value={mode}
        options={MODES}
        texts={{ ...word.modes, configured: say.configured }}
        onChoose={setMode}
      />
      <Choice
        label={say.approval}
        value={approval}
        options={APPROVALS}
        texts={{ ...word.approvals, configured: say.configured }}
        onChoose={setApproval}
      />
      <Button look="bare" className="-mx-3" onClick={() => setPlan(plan === undefined ? '' : undefined)}>
        {plan === undefined ? say.plan.add : say.plan.remove}
      </Button>
    </>
  );
  return (
    <SendForm
      onSend={send}
      canSend={canStart}
      texts={{ send: start.isPending ? say.starting : say.start, keys: say.sendHint }}
      error={start.error}
      choices={choices}
      hint={hints.filter(Boolean).join(' ')}
    >
      <TextField
        ref={field}
        label={say.goal}
        placeholder={checked.result?.goal ?? say.goalHint}
        rows={2}
        value={goal}
        onType={onGoal}
        onSend={send}
        isBare
        className="max-h-[50vh] min-h-14 text-lg"
      />
      {plan !== undefined && <PlanField plan={plan} onPlan={setPlan} checked={checked} onSend={send} />}
    </SendForm>
  );
}

type ChosenMode = Mode | 'configured';
type ChosenApproval = ApprovalPolicy | 'configured';

const MODES: readonly ChosenMode[] = ['configured', ...modes.options];
const APPROVALS: readonly ChosenApproval[] = ['configured', ...approvalPolicy.options];

interface PlanFieldProps {
  readonly plan: string;
  readonly onPlan: (plan: string) => void;
  readonly checked: Checked;
  readonly onSend: () => void;
}

/** A plan file, typed or chosen, with its problems. */
function PlanField({ plan, onPlan, checked, onSend }: PlanFieldProps) {
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
