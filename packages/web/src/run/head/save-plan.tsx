import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Lifted } from '#dandori/history/save-as-plan.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/steering.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { copyText, saveFile } from '../../ui/export-text.ts';
import { Waiting } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';

/** Shows and saves a plan file that repeats what the run did. */
export function SavePlan({ run, onClose }: { readonly run: string; readonly onClose: () => void }) {
  const say = useTexts(texts);
  const client = useClient();
  const { data, error, isPending } = useQuery({ queryKey: ['lift', run], queryFn: () => client.lift(run) });
  return (
    <Dialog title={say.savePlan} onClose={onClose} isWide>
      {isPending && <Waiting />}
      <Problem error={error} />
      {data !== undefined && <Plan lifted={data} />}
    </Dialog>
  );
}

function Plan({ lifted }: { readonly lifted: Lifted }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const [isCopied, setIsCopied] = useState(false);
  const text = planText(lifted);
  const { tasks, notOrdered, inferred, left, redacted } = lifted;
  const remarks = [
    say.saveText(tasks.length),
    ...(notOrdered.length > 0 ? [say.notOrdered(notOrdered.join(', '))] : []),
    ...(inferred.length > 0 ? [say.inferred(inferred.length)] : []),
    ...(left.length > 0 ? [say.left(left.length)] : []),
    ...(redacted.length > 0 ? [say.redacted(redacted.join(', '))] : []),
  ];
  const copy = async () => {
    await copyText(text);
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
        <Button onClick={() => void copy()}>{isCopied ? word.copied : word.copy}</Button>
        <Button look="main" onClick={() => saveFile(`${lifted.run}.plan.json`, text, 'application/json')}>
          {say.download}
        </Button>
      </div>
    </>
  );
}

/** Durations in a plan file have a unit. */
function planText({ goal, tasks }: Lifted): string {
  const written = tasks.map(({ timeoutMs, ...task }) => ({
    ...task,
    ...(timeoutMs !== undefined && { timeout: `${timeoutMs}ms` }),
  }));
  return `${stringifyJson({ goal, tasks: written }, 2)}\n`;
}
