import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer } from '../answer.ts';
import { isJapanese } from '../japanese.ts';
import { IDEMPOTENCY_KEY, isPreview, keyOf, languageOf, PREVIEW, type Preview } from '../meta.ts';
import { SaidError, spoken } from '../said.ts';
import { isCalendarDate } from './expiry.ts';
import type { Item } from './inventory.ts';
import { itemSchema, kitchen } from './kitchen.ts';
import { nameIn } from './names.ts';

const MAX_QUANTITY = 1_000_000;
/** Tells a host that it may repeat a call whose outcome it never learnt. */
const SUPPORTS_KEY = { [IDEMPOTENCY_KEY]: true };

const quantity = z.number().positive().max(MAX_QUANTITY);

export function registerWritingTools(server: McpServer): void {
  server.registerTool(
    'add_item',
    {
      title: 'Add an item (在庫に追加)',
      description:
        'Add food to the kitchen inventory. 在庫に追加・登録する (add item): 買った食材・食品を冷蔵庫に入れる. ' +
        `A call repeated with the same _meta["${IDEMPOTENCY_KEY}"] adds nothing twice.`,
      inputSchema: z.strictObject({
        name: z.string().trim().min(1).max(100).describe('Name (品名), e.g. "りんご / apples"'),
        quantity: quantity.describe('How much (数量)'),
        unit: z
          .string()
          .trim()
          .min(1)
          .max(20)
          .default('個')
          .describe('Unit (単位), e.g. 個, g, ml. Default 個'),
        expires_on: z.string().max(10).optional().describe('Best before YYYY-MM-DD (賞味期限)'),
      }),
      outputSchema: z.object({ item: itemSchema.describe('The item as it is in stock now (追加後の在庫)') }),
      annotations: {
        readOnlyHint: false,
        idempotentHint: false,
        destructiveHint: false,
        openWorldHint: false,
      },
      _meta: SUPPORTS_KEY,
    },
    spoken(async (input, context) => {
      const { expires_on } = input;
      if (expires_on !== undefined && !isCalendarDate(expires_on)) {
        throw new SaidError({
          en: `"${expires_on}" is not a calendar date. Send expires_on as YYYY-MM-DD.`,
          ja: `「${expires_on}」は日付ではありません。expires_on は YYYY-MM-DD で指定してください。`,
        });
      }
      const inventory = await kitchen();
      const item = inventory.recorded.once(keyOf(context), ['add_item', input], () =>
        inventory.add({ ...input, expires_on: expires_on ?? null }),
      );
      return answer({ item }, `In stock now (在庫): ${labelOf(item, true)}`);
    }),
  );

  server.registerTool(
    'remove_item',
    {
      title: 'Remove an item (在庫から削除)',
      description:
        'Remove food from the kitchen inventory: a quantity of an item, or all of it. ' +
        '在庫から削除・消費・捨てる・使う (remove item). If several items fit the name, or the quantity matters and is ' +
        'missing, nothing is removed and the answer holds a question with options; call again with the item_id or the ' +
        `quantity of one. A call repeated with the same _meta["${IDEMPOTENCY_KEY}"] removes nothing twice.`,
      inputSchema: z.strictObject({
        name: z.string().trim().min(1).max(100).optional().describe('Name (品名), e.g. 牛乳 or milk'),
        item_id: z.number().int().optional().describe('Number of the item (品目番号) from list_inventory'),
        quantity: quantity
          .optional()
          .describe('How much to remove (数量). Needed if there are several pieces; otherwise all of it'),
      }),
      outputSchema: z.object({
        item: itemSchema.describe('The item as it was before (削除前の品目)'),
        removed: z.number().describe('How much was removed (削除した数量)'),
        remaining: z.number().describe('How much is left (残り)'),
      }),
      annotations: {
        readOnlyHint: false,
        idempotentHint: false,
        destructiveHint: true,
        openWorldHint: false,
      },
      _meta: { ...SUPPORTS_KEY, [PREVIEW]: true },
    },
    spoken(async (input, context) => {
      const inventory = await kitchen();
      const { AmbiguousItem, AmbiguousQuantity, shareOf } = await import('./inventory.ts');
      const choose = () => {
        const item = inventory.find(input.name, input.item_id);
        if (input.quantity === undefined && isCounted(item)) throw new AmbiguousQuantity(item);
        return item;
      };
      const japanese = (languageOf(context) ?? (isJapanese(input.name ?? '') ? 'ja' : 'en')) === 'ja';
      try {
        if (isPreview(context)) {
          const item = choose();
          const share = shareOf(item, input.quantity);
          const preview: Preview = {
            summary: summaryOf(item, share.removed, share.remaining, japanese),
            reversible: false,
            args: { item_id: item.item_id, quantity: share.removed },
          };
          return { ...answer({ item, ...share }, preview.summary), _meta: { [PREVIEW]: preview } };
        }
        const result = inventory.recorded.once(keyOf(context), ['remove_item', input], () => {
          const item = choose();
          return { item, ...inventory.take(item, input.quantity) };
        });
        const { item, removed, remaining } = result;
        return answer(
          result,
          `Removed (削除): ${item.name} ${removed} ${item.unit}. Left (残り): ${remaining} ${item.unit}`,
        );
      } catch (error) {
        if (error instanceof AmbiguousItem) return whichItem(input, error.candidates, japanese);
        if (error instanceof AmbiguousQuantity) return howMuch(error.item, japanese);
        throw error;
      }
    }),
  );
}

/** Pieces are thrown away one by one. Grams and millilitres are one packet. */
function isCounted({ unit, quantity: there }: Item): boolean {
  return there > 1 && !/^(?:k?g|mg|m?l|d?l|cc|グラム|リットル)$/i.test(unit);
}

function summaryOf(item: Item, removed: number, remaining: number, japanese: boolean): string {
  const name = nameIn(item, japanese);
  if (japanese) {
    const left = remaining === 0 ? '' : `（残り ${remaining} ${item.unit}）`;
    return `${name} ${removed} ${item.unit}を捨てます${left}。`;
  }
  const left = remaining === 0 ? '' : ` (${englishAmount(remaining, item.unit)} left)`;
  return `Remove ${name}: ${englishAmount(removed, item.unit)}${left}.`;
}

/** Japanese counters have no English form: two cartons are just 2. */
function englishAmount(count: number, unit: string): string {
  return /^[\p{Script=Han}\p{Script=Hiragana}]+$/u.test(unit) ? String(count) : `${count} ${unit}`;
}

function whichItem(
  { name = '', quantity: wanted }: { name?: string | undefined; quantity?: number | undefined },
  candidates: Item[],
  japanese: boolean,
): CallToolResult {
  const text = japanese
    ? `「${name}」に当てはまるものが ${candidates.length} つあります。どれを削除しますか？`
    : `${candidates.length} items fit "${name}". Which one should be removed?`;
  // With a quantity, only items that have enough can be meant.
  const possible = candidates.filter((item) => wanted === undefined || item.quantity >= wanted);
  return question(
    text,
    (possible.length > 0 ? possible : candidates).map((item) => ({
      label: labelOf(item, japanese),
      args: { item_id: item.item_id },
    })),
  );
}

/** One piece, or all of them. The caller can send any other quantity. */
function howMuch(item: Item, japanese: boolean): CallToolResult {
  const { item_id, quantity: there, unit } = item;
  const name = nameIn(item, japanese);
  const text = japanese
    ? `${name}は ${there} ${unit}あります。いくつ削除しますか？`
    : `There are ${englishAmount(there, unit)} in stock: ${name}. How many should be removed?`;
  const some = Number.isInteger(there) && there <= 4 ? range(there - 1) : [1];
  const amount = (count: number) => (japanese ? `${count} ${unit}` : englishAmount(count, unit));
  return question(text, [
    ...some.map((count) => ({ label: amount(count), args: { item_id, quantity: count } })),
    {
      label: japanese ? `すべて（${amount(there)}）` : `All (${amount(there)})`,
      args: { item_id, quantity: there },
    },
  ]);
}

function range(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

function question(
  text: string,
  options: { label: string; args: { item_id: number; quantity?: number } }[],
): CallToolResult {
  const lines = options.map(({ label, args }) => `- ${label} (${JSON.stringify(args)})`);
  return {
    isError: true,
    structuredContent: { ambiguous: true, question: text, options },
    content: [{ type: 'text', text: [text, ...lines].join('\n') }],
  };
}

/** With both names, so that words of either language choose it. */
function labelOf(item: Item, japanese: boolean): string {
  const date = item.expires_on ? ` (${item.expires_on})` : '';
  if (japanese) return `${item.name} ${item.quantity} ${item.unit}${date}`;
  const names = [nameIn(item, false), nameIn(item, true)];
  return `${[...new Set(names)].join(' / ')}: ${englishAmount(item.quantity, item.unit)}${date}`;
}
