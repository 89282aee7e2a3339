import type { ViewProps } from '../view.ts';

export function TaskDetails({ state }: ViewProps) {
  return <p className="p-4">{state.goal}</p>;
}
