import { type Path, valueAt } from '../documents/place.ts';
import { isObject } from '../model/json.ts';

/** Values that override the file, in the file's own form: `{ execution: { max_steps: 3 } }`. */
export interface Layer {
  /** Where they came from, for messages: `the command line`. */
  readonly origin: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Groups are merged key by key, anything else is replaced. Later layers win. */
export function applyLayers(base: unknown, layers: readonly Layer[]): unknown {
  return layers.reduce<unknown>(
    (below, { values }) => merge(withoutOtherSwitch(below, values), values),
    base,
  );
}

/** The origin of the value at a path; undefined if it comes from the file. */
export function originOf(path: Path, layers: readonly Layer[]): string | undefined {
  return layers.findLast(({ values }) => valueAt(values, path) !== undefined)?.origin;
}

function merge(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isObject(below) || !isObject(above)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, merge(valueAt(below, [key]), valueAt(above, [key]))]),
  );
}

/** `mode` and `adaptive_mode` are one setting: `--mode planned` must win over `adaptive_mode: true`. */
function withoutOtherSwitch(below: unknown, above: Layer['values']): unknown {
  if (!isObject(below) || !isObject(below.execution) || !isObject(above.execution)) return below;
  const { mode: _mode, adaptive_mode: _adaptiveMode, ...execution } = below.execution;
  const isSet = above.execution.mode !== undefined || above.execution.adaptive_mode !== undefined;
  return isSet ? { ...below, execution } : below;
}
