import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { LOOKS } from '../../ui/status.tsx';
import { texts as statusTexts } from '../../ui/texts.ts';
import type { TaskNode } from './elements.ts';
import { nodeId } from './task-node.tsx';
import { texts } from './texts.ts';

/** A step, or a task that a person's choice put others in the place of. */
export const FrameNode = memo(function FrameNode({ id, data, selected }: NodeProps<TaskNode>) {
  const say = useTexts(texts);
  const { status } = useTexts(statusTexts);
  const { face, isActive } = data;
  const [sign, colour] = LOOKS[face.status];
  const frame = selected === true ? 'border-accent ring-1 ring-accent' : 'border-line';
  const ring = isActive ? 'outline-2 outline-accent outline-offset-2' : '';
  return (
    <div
      id={nodeId(id)}
      className={`h-full w-full cursor-pointer rounded-lg border bg-sunken/60 ${frame} ${ring} ${face.standing === 'gone' ? 'opacity-50' : ''}`}
    >
      <div className="flex items-baseline gap-2 px-3 py-2 text-[13px]">
        <span className={`text-xs ${colour}`} title={status[face.status]}>
          <span aria-hidden="true">{sign}</span>
          <span className="sr-only">{status[face.status]}</span>
        </span>
        <span className="min-w-0 truncate font-semibold text-ink">{face.title}</span>
        {face.total > 0 && (
          <span className="ml-auto shrink-0 text-faint text-xs tabular-nums">
            {say.progress(face.done, face.total)}
          </span>
        )}
      </div>
    </div>
  );
});
