import type { ViewProps } from '../view.ts';

export function Graph({ state }: ViewProps) {
  return <p className="p-4">{state.goal}</p>;
}
