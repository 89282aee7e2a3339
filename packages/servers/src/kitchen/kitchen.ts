import { resolve } from 'node:path';
import { z } from 'zod';
import { dataFile } from '../data-file.ts';
import type { Inventory } from './inventory.ts';

let opened: Inventory | undefined;

/** The kitchen of this process. Opened at first use, so that a host that only lists tools creates no files. */
export async function kitchen(): Promise<Inventory> {
  const { Inventory } = await import('./inventory.ts');
  const configured = process.env.DANDORI_KITCHEN_PATH;
  opened ??= new Inventory(configured ? resolve(configured) : dataFile('kitchen.db'));
  return opened;
}

export const itemSchema = z.object({
  item_id: z.number().int().describe('Number of the item (品目番号)'),
  name: z.string().describe('Name, Japanese / English (品名)'),
  quantity: z.number().describe('How much is there (数量)'),
  unit: z.string().describe('Unit (単位)'),
  expires_on: z.union([z.string(), z.null()]).describe('Best before YYYY-MM-DD (賞味期限), or null'),
  days_left: z.union([z.number().int(), z.null()]).describe('Days until then; negative if it has passed'),
});
