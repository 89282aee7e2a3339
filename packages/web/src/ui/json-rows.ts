import type { Json } from '#dandori/model/json.ts';

/** A row of the tree. `more` loads the next page of a long list. */
export type JsonRow = {
  readonly id: string;
  readonly level: number;
  readonly key: string | number | undefined;
  /** Its position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
} & (
  | { readonly kind: 'branch'; readonly isList: boolean; readonly count: number; readonly isOpen: boolean }
  | { readonly kind: 'leaf'; readonly value: Exclude<Json, object> | null }
  | { readonly kind: 'more'; readonly parent: string; readonly left: number }
);

export interface JsonView {
  /** Ids of branches that the user opened or closed. */
  readonly toggled: ReadonlySet<string>;
  /** How many pages of a branch are shown, if more than one. */
  readonly pages: ReadonlyMap<string, number>;
}

export const PAGE = 100;
/** Branches with few children are open at first. */
const FEW = 12;
const OPEN_LEVELS = 3;
export const ROOT = '$';

export function jsonRows(value: Json, view: JsonView): JsonRow[] {
  const rows: JsonRow[] = [];
  add(rows, { id: ROOT, level: 1, key: undefined, position: 1, siblings: 1 }, value, view);
  return rows;
}

type Place = Pick<JsonRow, 'id' | 'level' | 'key' | 'position' | 'siblings'>;

function add(rows: JsonRow[], place: Place, value: Json, view: JsonView): void {
  if (typeof value !== 'object' || value === null) {
    rows.push({ ...place, kind: 'leaf', value });
    return;
  }
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const count = isList ? value.length : (keys?.length ?? 0);
  const isOpenAtFirst = place.level === 1 || (place.level <= OPEN_LEVELS && count <= FEW);
  const isOpen = count > 0 && isOpenAtFirst !== view.toggled.has(place.id);
  rows.push({ ...place, kind: 'branch', isList, count, isOpen });
  if (!isOpen) return;
  const shown = Math.min(count, PAGE * (view.pages.get(place.id) ?? 1));
  const siblings = shown < count ? shown + 1 : shown;
  const level = place.level + 1;
  for (let index = 0; index < shown; index++) {
    const key = keys === undefined ? index : (keys[index] ?? '');
    const child = (value as { [key: string | number]: Json })[key] ?? null;
    add(rows, { id: `${place.id}/${escaped(key)}`, level, key, position: index + 1, siblings }, child, view);
  }
  if (shown < count)
    rows.push({
      id: `${place.id}/…`,
      level,
      key: undefined,
      position: siblings,
      siblings,
      kind: 'more',
      parent: place.id,
      left: count - shown,
    });
}

/** Escapes keys as in a JSON Pointer, so that ids are unique. */
function escaped(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('…', '~2');
}

export function parentRow(rows: readonly JsonRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let above = index - 1; above >= 0; above--) if ((rows[above]?.level ?? 0) < level) return above;
  return index;
}
