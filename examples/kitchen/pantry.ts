import { ambiguous, defineService } from 'dandori';
import * as z from 'zod';
import { type Part, recipeFor, scaled } from './recipes.ts';
import { fitting, type Item, inventory } from './stock.ts';

const dish = z.string().describe('Dish (料理), e.g. omelette or オムレツ');
const servings = z.number().int().min(1).max(20).default(2).describe('For how many (人数)');
const amount = z.object({ name: z.string(), quantity: z.number(), unit: z.string() });

export default defineService({
  name: 'pantry',
  methods: {
    shopping_list: {
      description: 'What is missing in the kitchen to cook a dish. 買い物リスト・足りない食材を調べる',
      effect: 'read',
      trusted: true,
      calls: ['kitchen.list_inventory'],
      input: z.object({ dish, servings }),
      output: z.object({ dish: z.string(), servings: z.number(), missing: z.array(amount) }),
      run: async (wanted, context) => {
        const { items } = inventory.parse(await context.call('kitchen.list_inventory', {}));
        const missing = scaled(recipeFor(wanted.dish), wanted.servings).flatMap((part) =>
          shortOf(part, items),
        );
        return { ...wanted, missing };
      },
    },
    // #region rules
    cook: {
      description: 'Cooks a dish: takes what it needs from the kitchen. 料理する・食材を在庫から使う',
      effect: 'destructive',
      trusted: true,
      calls: ['kitchen.list_inventory', 'kitchen.remove_item'],
      input: z.object({
        dish,
        servings,
        items: z
          .record(z.string(), z.number())
          .default({})
          .describe('Which item to take, by ingredient, e.g. { milk: 2 }'),
      }),
      output: z.object({
        dish: z.string(),
        servings: z.number(),
        used: z.array(amount.extend({ remaining: z.number() })),
        cooked_for: z.string(),
      }),
      run: async ({ dish, servings, items: chosen }, context) => {
        const { items } = inventory.parse(await context.call('kitchen.list_inventory', {}));
        const parts = scaled(recipeFor(dish), servings);
        // Check everything before the first change, so that a failure leaves nothing half done.
        const missing = parts.flatMap((part) => shortOf(part, items));
        if (missing.length > 0) throw new Error(notEnough(missing));
        const takings = parts.map((part) => ({ part, item: choose(part, items, { dish, chosen }) }));
        const used = [];
        for (const { part, item } of takings) {
          context.progress(`${item.name} ${part.quantity} ${part.unit}`);
          const taken = await context.call('kitchen.remove_item', {
            item_id: item.item_id,
            quantity: part.quantity,
          });
          const { remaining } = z.object({ remaining: z.number() }).parse(taken);
          used.push({ name: item.name, quantity: part.quantity, unit: part.unit, remaining });
        }
        return { dish, servings, used, cooked_for: context.userId ?? 'everybody' };
      },
    },
    // #endregion
  },
});

/** Stock can't go negative, and one item must have enough: the recipe does not mix two cartons. */
function shortOf(part: Part, items: readonly Item[]): z.infer<typeof amount>[] {
  const most = Math.max(0, ...fitting(items, part).map(({ quantity }) => quantity));
  if (most >= part.quantity) return [];
  const quantity = Math.round((part.quantity - most) * 1e6) / 1e6;
  return [{ name: `${part.nameJa} / ${part.name}`, quantity, unit: part.unit }];
}

function notEnough(missing: readonly z.infer<typeof amount>[]): string {
  const list = missing.map(({ name, quantity, unit }) => `${name} ${quantity} ${unit}`).join(', ');
  return `Nothing was taken, as there is not enough that is still good (在庫不足): ${list}.`;
}

interface Wish {
  readonly dish: string;
  readonly chosen: Readonly<Record<string, number>>;
}

// #region ambiguity
function choose(part: Part, items: readonly Item[], { dish, chosen }: Wish): Item {
  const enough = fitting(items, part).filter(({ quantity }) => quantity >= part.quantity);
  const named = chosen[part.name];
  const left = named === undefined ? enough : enough.filter(({ item_id }) => item_id === named);
  const [only] = left;
  if (only === undefined) throw new Error(`Item ${named} is no ${part.name}, or there is too little of it.`);
  if (left.length === 1) return only;
  const isJapanese = /[^\p{ASCII}]/u.test(dish);
  throw ambiguous({
    question: isJapanese ? `どの${part.nameJa}を使いますか？` : `Which ${part.name} should be used?`,
    options: left.map(({ item_id, name, expires_on }) => ({
      label: expires_on === null ? name : `${name} (${expires_on})`,
      value: item_id,
      args: { items: { ...chosen, [part.name]: item_id } },
    })),
  });
}
// #endregion
