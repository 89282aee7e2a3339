import type { Stored } from '#dandori/run/state/state.ts';
import { useLanguage, useTexts } from '../../shell/language.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { PagedResult } from './paged-result.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly task: string;
  readonly result: Stored;
}

/** A result as a tree; one that is kept apart for its size, page by page. */
export function ResultView({ run, task, result }: Props) {
  const say = useTexts(texts);
  const { language } = useLanguage();
  if ('value' in result) return <JsonTree key={task} value={result.value} label={say.result} />;
  const { bytes, shape } = result.blob;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-faint text-xs [overflow-wrap:anywhere]">
        {say.bytes(bytes.toLocaleString(language))}
        {shape !== undefined && ` · ${shape}`}
      </p>
      <PagedResult key={`${run} ${task}`} run={run} task={task} />
    </div>
  );
}
