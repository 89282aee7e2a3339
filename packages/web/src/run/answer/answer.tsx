import type { ViewProps } from '../view.ts';

export function Answer({ state }: ViewProps) {
  return <p className="p-4">{state.goal}</p>;
}
