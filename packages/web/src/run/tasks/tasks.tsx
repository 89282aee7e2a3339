import type { ViewProps } from '../view.ts';

export function Tasks({ state }: ViewProps) {
  return <p className="p-4">{state.goal}</p>;
}
