import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Lifted } from '#dandori/history/lift.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/steering.ts';
import { Button } from '../../ui/button.tsx';
import { Waiting } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';

/** A plan file that does again what the run has done. */
export function LiftedPlan({ run, onClose }: { readonly run: string; readonly onClose: () => void }) {
  const say = useTexts(texts);
  const client = useClient();
  const { data, error, isPending } = useQuery({ queryKey: ['lift', run], queryFn: () => client.lift(run) });
  return (
    <Dialog title={say.liftTitle} onClose={onClose} isWide>
      {isPending && <Waiting />}
      <Problem error={error} />
      {data !== undefined && <Plan lifted={data} />}
    </Dialog>
  );
}

function Plan({ lifted }: { readonly lifted: Lifted }) {
  const say = useTexts(texts);
  const [isCopied, setIsCopied] = useState(false);
  const text = planText(lifted);
  const { tasks, inferred, left, redacted } = lifted;
  const remarks = [
    say.liftText(tasks.length),
    ...(inferred.length > 0 ? [say.inferred(inferred.length)] : []),
    ...(left.length > 0 ? [say.left(left.length)] : []),
    ...(redacted.length > 0 ? [say.redacted(redacted.join(', '))] : []),
  ];
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  return (
    <>
      <ul className="text-sm">
        {remarks.map((remark) => (
          <li key={remark}>{remark}</li>
        ))}
      </ul>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        className="max-h-[50dvh] overflow-auto rounded border border-line bg-paper p-3 text-xs"
      >
        {text}
      </pre>
      <div className="flex justify-end gap-2">
        <Button onClick={() => void copy()}>{isCopied ? say.copied : say.copy}</Button>
        <Button look="main" onClick={() => saveFile(`${lifted.run}.plan.json`, text, 'application/json')}>
          {say.download}
        </Button>
      </div>
    </>
  );
}

/** As a plan file has it: durations say their unit. */
function planText({ goal, tasks }: Lifted): string {
  const written = tasks.map(({ timeout, ...task }) => ({
    ...task,
    ...(timeout !== undefined && { timeout: `${timeout}ms` }),
  }));
  return `${stringifyJson({ goal, tasks: written }, 2)}\n`;
}

/** Lets the browser keep a text as a file. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
