import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, type RefObject, Suspense, useState } from 'react';
import { type ApprovalPolicy, approvalPolicy, type Mode, mode as modes } from '#dandori/model/settings.ts';
import { createRequestKeys } from '../live/request-keys.ts';
import { useCheck } from '../run/plan/use-check.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/home.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { Choice, TextField } from '../ui/fields.tsx';
import { ChosenFiles, FileButton, identityOf } from '../ui/files.tsx';
import { Waiting } from '../ui/page.tsx';
import { SendForm } from '../ui/send-form.tsx';

/** Most goals have no plan file. */
const PlanField = lazy(() => import('./plan-field.tsx'));

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
  const [files, setFiles] = useState<readonly File[]>([]);
  const add = (more: Iterable<File>) => setFiles((known) => [...known, ...more]);
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
      const key = keys.keyFor([wanted, request, identityOf(files)]);
      return client.start(wanted, { ...request, attachments: files, key });
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
      <FileButton onFiles={add} />
    </>
  );
  return (
    <SendForm
      onDrop={add}
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
      <ChosenFiles files={files} onFiles={setFiles} />
      {plan !== undefined && (
        <Suspense fallback={<Waiting />}>
          <PlanField plan={plan} onPlan={setPlan} checked={checked} onSend={send} />
        </Suspense>
      )}
    </SendForm>
  );
}

type ChosenMode = Mode | 'configured';
type ChosenApproval = ApprovalPolicy | 'configured';

const MODES: readonly ChosenMode[] = ['configured', ...modes.options];
const APPROVALS: readonly ChosenApproval[] = ['configured', ...approvalPolicy.options];
