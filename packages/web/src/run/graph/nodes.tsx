import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/graph.ts';
import { words } from '../../texts/words.ts';
import { LOOKS, useShownStatus } from '../../ui/marks.tsx';
import { Elapsed } from '../view.tsx';
import type { Face, TaskNode as Shown } from './elements.ts';

export const TaskNode = memo(function TaskNode({ id, data, selected }: NodeProps<Shown>) {
  const { face, isActive } = data;
  const status = useShownStatus(face.status);
  const [sign, colour] = LOOKS[status];
  const standing = STANDING[face.standing];
  const ring = isActive ? 'outline-2 outline-accent outline-offset-2' : '';
  const frame = selected === true ? 'border-accent ring-1 ring-accent' : 'border-line';
  return (
    <div
      id={nodeId(id)}
      className={`relative flex h-full w-full cursor-pointer overflow-hidden rounded-md border bg-sheet text-ink ${frame} ${ring} ${standing}`}
    >
      <span className={`w-1 shrink-0 bg-current ${colour} ${status === 'running' ? 'animate-pulse' : ''}`} />
      <Text face={face} sign={sign} colour={colour} />
    </div>
  );
});

const STANDING: Readonly<Record<Face['standing'], string>> = {
  accepted: '',
  proposed: 'border-dashed',
  gone: 'border-dashed opacity-50',
};

interface TextProps {
  readonly face: Face;
  readonly sign: string;
  readonly colour: string;
}

function Text({ face, sign, colour }: TextProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const status = useShownStatus(face.status);
  const isGone = face.standing === 'gone';
  return (
    <span className="flex min-w-0 flex-1 flex-col justify-center gap-0.5 px-2">
      <span className="flex items-baseline gap-1.5">
        <span className={`w-3 shrink-0 text-center text-xs ${colour}`} title={word.statuses[status]}>
          <span aria-hidden="true">{sign}</span>
          <span className="sr-only">{word.statuses[status]}</span>
        </span>
        <span className={`min-w-0 flex-1 truncate font-medium text-[13px] ${isGone ? 'line-through' : ''}`}>
          {face.title}
        </span>
        <span className="shrink-0 text-[11px] text-faint">
          {face.standing === 'proposed' ? (
            <span className="italic">{say.proposed}</span>
          ) : (
            <Elapsed ms={face.ms} since={face.since} />
          )}
        </span>
      </span>
      <span className="flex items-baseline gap-1.5 pl-4.5 text-[11px] text-faint">
        <span className="min-w-0 flex-1 truncate font-mono">{face.operation ?? say.step}</span>
        {face.attempts > 1 && <span className="shrink-0 text-warn">↻{face.attempts}</span>}
        <Effect face={face} />
      </span>
    </span>
  );
}

/** Most calls are reads. Only calls that change something stand out. */
function Effect({ face: { effect, standing } }: { readonly face: Face }) {
  const word = useTexts(words);
  if (standing === 'gone') return <span className="shrink-0 italic">{word.statuses.replaced}</span>;
  if (effect === undefined) return null;
  const colour = effect === 'destructive' ? 'text-bad font-semibold' : effect === 'write' ? 'text-ink' : '';
  return <span className={`shrink-0 ${colour}`}>{word.effects[effect]}</span>;
}

/** The DOM id that `aria-activedescendant` refers to. */
export function nodeId(id: string): string {
  return `node-${id}`;
}

/** A step, or a task that was replaced by others through an answer. */
export const FrameNode = memo(function FrameNode({ id, data, selected }: NodeProps<Shown>) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { face, isActive } = data;
  const status = useShownStatus(face.status);
  const [sign, colour] = LOOKS[status];
  const frame = selected === true ? 'border-accent ring-1 ring-accent' : 'border-line';
  const ring = isActive ? 'outline-2 outline-accent outline-offset-2' : '';
  return (
    <div
      id={nodeId(id)}
      className={`h-full w-full cursor-pointer rounded-lg border ${frame} ${ring} ${face.standing === 'gone' ? 'opacity-50' : ''}`}
    >
      <div className="flex items-baseline gap-2 px-3 py-2 text-[13px]">
        <span className={`text-xs ${colour}`} title={word.statuses[status]}>
          <span aria-hidden="true">{sign}</span>
          <span className="sr-only">{word.statuses[status]}</span>
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

export const GateNode = memo(function GateNode() {
  const say = useTexts(texts);
  return (
    <div title={say.gate} className="h-full w-full rotate-45 border-2 border-warn bg-paper">
      <span className="sr-only">{say.gate}</span>
    </div>
  );
});
