import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/graph.ts';
import { texts as statusTexts } from '../../texts/statuses.ts';
import { LOOKS } from '../../ui/marks.tsx';
import { Elapsed } from '../view.tsx';
import type { Face, TaskNode as Shown } from './elements.ts';
import { useIsFar } from './use-sight.ts';

export const TaskNode = memo(function TaskNode({ id, data, selected }: NodeProps<Shown>) {
  const isFar = useIsFar();
  const { face, isActive } = data;
  const [sign, colour] = LOOKS[face.status];
  const standing = STANDING[face.standing];
  const ring = isActive ? 'outline-2 outline-accent outline-offset-2' : '';
  const frame = selected === true ? 'border-accent ring-1 ring-accent' : 'border-line';
  return (
    <div
      id={nodeId(id)}
      className={`relative flex h-full w-full cursor-pointer overflow-hidden rounded-md border bg-sheet text-ink ${frame} ${ring} ${standing}`}
    >
      <span
        className={`w-1 shrink-0 bg-current ${colour} ${face.status === 'running' ? 'animate-pulse' : ''}`}
      />
      {isFar ? (
        <span aria-hidden="true" className={`flex flex-1 items-center justify-center text-4xl ${colour}`}>
          <span className="absolute inset-0 bg-current opacity-25" />
          {sign}
        </span>
      ) : (
        <Text face={face} sign={sign} colour={colour} />
      )}
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
  const say = useTexts(texts);
  const { status } = useTexts(statusTexts);
  const isGone = face.standing === 'gone';
  return (
    <span className="flex min-w-0 flex-1 flex-col justify-center gap-0.5 px-2">
      <span className="flex items-baseline gap-1.5">
        <span className={`w-3 shrink-0 text-center text-xs ${colour}`} title={status[face.status]}>
          <span aria-hidden="true">{sign}</span>
          <span className="sr-only">{status[face.status]}</span>
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

/** Reads are the rule, and harmless; only what changes something stands out. */
function Effect({ face: { effect, standing } }: { readonly face: Face }) {
  const say = useTexts(texts);
  if (standing === 'gone') return <span className="shrink-0 italic">{say.replaced}</span>;
  if (effect === undefined) return null;
  const colour = effect === 'destructive' ? 'text-bad font-semibold' : effect === 'write' ? 'text-ink' : '';
  return <span className={`shrink-0 ${colour}`}>{say.effects[effect]}</span>;
}

/** By which the keyboard's place is told to a screen reader. */
export function nodeId(id: string): string {
  return `node-${id}`;
}

/** A step, or a task that a person's choice put others in the place of. */
export const FrameNode = memo(function FrameNode({ id, data, selected }: NodeProps<Shown>) {
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

export const GateNode = memo(function GateNode() {
  const say = useTexts(texts);
  return (
    <div title={say.gate} className="h-full w-full rotate-45 border-2 border-warn bg-paper">
      <span className="sr-only">{say.gate}</span>
    </div>
  );
});
