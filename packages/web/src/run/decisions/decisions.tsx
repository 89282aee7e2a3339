import type { ViewProps } from '../view.ts';

export function Decisions({ state }: ViewProps) {
  return <p className="p-4">{state.goal}</p>;
}
