import { ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { isTouching, type Way } from './edges.ts';
import type { EdgeKind } from './structure.ts';
import { overlap, useIsFar, useSight } from './use-sight.ts';

const KINDS: readonly EdgeKind[] = ['after', 'hazard', 'data'];

/** Never by colour alone. */
export const STROKES: Readonly<Record<EdgeKind, string>> = {
  data: 'stroke-accent',
  after: 'stroke-faint [stroke-dasharray:7_4]',
  hazard: 'stroke-warn [stroke-dasharray:2_3]',
};

const FILLS: Readonly<Record<EdgeKind, string>> = {
  data: 'fill-accent',
  after: 'fill-faint',
  hazard: 'fill-warn',
};

interface Props {
  readonly ways: readonly Way[];
  /** The task whose edges stand out. */
  readonly marked: string | undefined;
}

/** The edges that are in sight, in one picture: to move the sheet moves it, and seldom draws it anew. */
export const Routes = memo(function Routes({ ways, marked }: Props) {
  const sight = useSight();
  const isFar = useIsFar();
  const seen = useMemo(() => ways.filter(({ around }) => overlap(around, sight)), [ways, sight]);
  const touching = seen.filter((way) => isTouching(way, marked));
  return (
    <ViewportPortal>
      <svg aria-hidden="true" className="pointer-events-none absolute top-0 left-0 size-px overflow-visible">
        <defs>
          {KINDS.map((kind) => (
            <Arrow key={kind} kind={kind} />
          ))}
        </defs>
        <g className={touching.length > 0 ? 'opacity-40' : 'opacity-80'}>
          <Drawn ways={seen} isFar={isFar} width="[stroke-width:1.5]" />
        </g>
        <Drawn ways={touching} isFar={isFar} width="[stroke-width:2.5]" />
      </svg>
    </ViewportPortal>
  );
});

function Arrow({ kind }: { readonly kind: EdgeKind }) {
  return (
    <marker
      id={`arrow-${kind}`}
      markerUnits="userSpaceOnUse"
      viewBox="0 0 8 8"
      markerWidth="8"
      markerHeight="8"
      refX="8"
      refY="4"
      orient="auto"
    >
      <path d="M0,0L8,4L0,8Z" className={FILLS[kind]} />
    </marker>
  );
}

interface DrawnProps {
  readonly ways: readonly Way[];
  readonly isFar: boolean;
  readonly width: string;
}

/** A path each: of one long path for all, every part of the screen would draw the whole. */
const Drawn = memo(function Drawn({ ways, isFar, width }: DrawnProps) {
  return ways.map(({ edge: { id, to, kind }, path }) => (
    <path
      key={id}
      d={path}
      fill="none"
      className={
        isFar ? `${STROKES[kind]} [stroke-dasharray:none]! [stroke-width:3]` : `${STROKES[kind]} ${width}`
      }
      {...(!isFar && !to.startsWith('gate:') && { markerEnd: `url(#arrow-${kind})` })}
    />
  ));
});
