import { useMutation } from '@tanstack/react-query';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useHandled } from '../questions/handled.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly question: string;
  /** Undefined where it stands as it was proposed. */
  readonly plan: string | undefined;
  readonly mayGo: boolean;
  readonly onDone: () => void;
}

export function ApproveEdited({ run, question, plan, mayGo, onDone }: Props) {
  const say = useTexts(texts);
  const client = useClient();
  const { know } = useHandled();
  const approving = useMutation({
    mutationFn: () => client.approve(run, { question, ...(plan !== undefined && { plan }) }),
    onMutate: () => know(question),
    onError: () => know(question, false),
    onSuccess: onDone,
  });
  return (
    <>
      <Button look="main" disabled={!mayGo || approving.isPending} onClick={() => approving.mutate()}>
        {plan === undefined ? say.approveAsIs : say.approveEdited}
      </Button>
      <Problem error={approving.error} />
    </>
  );
}
