import * as z from 'zod';
import type { Part } from './recipes.ts';

const item = z.object({
  item_id: z.number(),
  name: z.string(),
  quantity: z.number(),
  unit: z.string(),
  expires_on: z.string().nullable(),
  days_left: z.number().nullable(),
});
export type Item = z.infer<typeof item>;

/** The part of `kitchen.list_inventory` that is used here. */
export const inventory = z.object({ items: z.array(item) });

/** Expired food is never used. */
export function fitting(items: readonly Item[], { name, nameJa, unit }: Part): Item[] {
  return items.filter(
    (one) => isCalled(one.name, name, nameJa) && one.unit === unit && (one.days_left ?? 0) >= 0,
  );
}

/** "牛乳 (低脂肪) / low-fat milk" is milk, and 醤油 is no oil. */
function isCalled(label: string, name: string, nameJa: string): boolean {
  const [japanese = '', english = ''] = label.split('/').map((half) => half.trim());
  return japanese.split(' ')[0] === nameJa || english.split(' ').at(-1) === name;
}
