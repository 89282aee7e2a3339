import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { itemSchema, kitchen } from './kitchen.ts';

const DEFAULT_RECIPES = 3;

export function registerReadingTools(server: McpServer): void {
  server.registerTool(
    'list_inventory',
    {
      title: 'List the inventory (在庫一覧)',
      description:
        'List what food is in the kitchen or fridge, what expires first at the top. ' +
        '在庫一覧 (list inventory): 冷蔵庫・キッチンにある食材・食品・賞味期限を調べる.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({
        items: z.array(itemSchema).describe('Items in stock (在庫)'),
        ingredients: z.array(z.string()).describe('Names of what is still good to eat (使える食材)'),
      }),
      annotations: READ_ONLY,
    },
    async () => {
      const items = (await kitchen()).items();
      const { usable } = await import('./recipes.ts');
      const lines = items.map(
        (item) =>
          `${item.item_id}: ${item.name} ${item.quantity} ${item.unit}${item.expires_on ? ` (${item.expires_on})` : ''}`,
      );
      const ingredients = usable(items).map(({ name }) => name);
      return answer({ items, ingredients }, lines.join('\n') || 'The kitchen is empty (在庫なし).');
    },
  );

  server.registerTool(
    'find_recipes',
    {
      title: 'Find recipes (レシピ検索)',
      description:
        'Find recipes that can be cooked with the given ingredients, or with what is in stock. ' +
        'レシピ検索 (find recipes): 食材・在庫から作れる料理・献立・メニューを探す・提案する.',
      inputSchema: z.strictObject({
        ingredients: z
          .array(z.string().min(1).max(100))
          .max(100)
          .optional()
          .describe('Ingredients (食材), e.g. ["卵", "milk"]. Default: what is in stock and still good'),
        max: z
          .number()
          .int()
          .min(1)
          .max(20)
          .default(DEFAULT_RECIPES)
          .describe(`Most recipes to return (最大件数), default ${DEFAULT_RECIPES}`),
      }),
      outputSchema: z.object({
        ingredients: z.array(z.string()).describe('The ingredients used for the search (食材)'),
        recipes: z
          .array(
            z.object({
              name: z.string().describe('Name in English'),
              name_ja: z.string().describe('料理名'),
              minutes: z.number().describe('Cooking time in minutes (調理時間)'),
              have: z.array(z.string()).describe('Ingredients at hand (ある食材)'),
              missing: z.array(z.string()).describe('Ingredients to buy (足りない食材)'),
              uses_soon: z
                .array(z.string())
                .describe('Items it uses that expire within 3 days (期限が近い食材)'),
              steps: z.array(z.string()).describe('Steps in English'),
              steps_ja: z.array(z.string()).describe('作り方'),
            }),
          )
          .describe('Recipes, least shopping first (レシピ)'),
      }),
      annotations: READ_ONLY,
    },
    async ({ ingredients, max }) => {
      const { findRecipes, usable } = await import('./recipes.ts');
      const stock = usable((await kitchen()).items());
      const given = ingredients ?? stock.map(({ name }) => name);
      const recipes = findRecipes(given, stock, max);
      const lines = recipes.map(
        ({ name, name_ja, minutes, missing }) =>
          `${name_ja} / ${name} (${minutes} min), missing: ${missing.join(', ') || 'nothing'}`,
      );
      return answer(
        { ingredients: given, recipes },
        lines.join('\n') || 'No recipe uses these (レシピなし).',
      );
    },
  );
}
