import type { Path } from '../documents/place.ts';
import { isObject, valueAt } from '../model/json.ts';
import { withLongNames } from './short-names.ts';

/** Values that override the file, in the file's own form: `{ execution: { max_steps: 3 } }`. */
export interface Layer {
  /** Where they came from, for messages: `the command line`. */
  readonly origin: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Groups are merged key by key, anything else is replaced. Later layers win. */
export function applyLayers(base: unknown, layers: readonly Layer[]): unknown {
  return layers.reduce<unknown>(
    (below, { values }) => merge(withoutOtherModel(withoutOtherSwitch(below, values), values), values),
    base,
  );
}

/**
 * The layer that a problem at this path is about; undefined if it is about the file. A missing key belongs to
 * the layer that has its group.
 */
export function layerOf(path: Path, layers: readonly Layer[]): Layer | undefined {
  const has = (values: unknown, at: Path) =>
    valueAt(values, at) !== undefined || valueAt(withLongNames(values), at) !== undefined;
  return (
    layers.findLast(({ values }) => has(values, path)) ??
    layers.findLast(({ values }) => path.length > 1 && has(values, path.slice(0, -1)))
  );
}

function merge(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isObject(below) || !isObject(above)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  const merged = [...keys].map((key) => [key, merge(valueAt(below, [key]), valueAt(above, [key]))] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** `mode` and `adaptive_mode` are one setting: `--mode planned` must win over `adaptive_mode: true`. */
function withoutOtherSwitch(below: unknown, above: Layer['values']): unknown {
  if (!isObject(below) || !isObject(below.execution) || !isObject(above.execution)) return below;
  const { mode: _mode, adaptive_mode: _adaptiveMode, ...execution } = below.execution;
  const isSet = above.execution.mode !== undefined || above.execution.adaptive_mode !== undefined;
  return isSet ? { ...below, execution } : below;
}

/** Another model has another address, key and price. */
function withoutOtherModel(below: unknown, { model: above }: Layer['values']): unknown {
  if (!isObject(below) || !isObject(below.model) || !isObject(above)) return below;
  const { model, ...rest } = below;
  if (above.provider !== undefined && above.provider !== model.provider) return rest;
  if (above.name === undefined || above.name === model.name) return below;
  const { price: _price, ...same } = model;
  return { ...rest, model: same };
}
