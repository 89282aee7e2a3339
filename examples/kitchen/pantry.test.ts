import { cp, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../../packages/dandori/test/cli/command.ts';

/** The example as a user runs it: copied to its own folder with its own kitchen, and started by the command. */
async function prepare(): Promise<Place> {
  const place = await openPlace({ DANDORI_KITCHEN_PATH: './kitchen.db' });
  for (const name of await readdir(import.meta.dirname))
    if (!name.endsWith('.test.ts')) await cp(join(import.meta.dirname, name), join(place.folder, name));
  // In a user's project, packages are in node_modules.
  const modules = join(import.meta.dirname, '../../node_modules');
  await symlink(modules, join(place.folder, 'node_modules'));
  return place;
}

const languages = [
  ['omelette.plan.yaml', 'Which milk should be used?', 'omelette'],
  ['omelette.ja.plan.yaml', 'どの牛乳を使いますか？', 'オムレツ'],
] as const;

describe('the kitchen', () => {
  it.each(languages)(
    '%s asks which milk in a pipe, and goes on with the answer',
    async (plan, question, dish) => {
      await using place = await prepare();
      const asked = await place.dandori('run', '--plan', plan, '--user', 'aki');
      expect(asked.code).toBe(3);
      expect(asked.stderr).toContain(`? ${question}\n`);
      expect(asked.stderr).toMatch(/ 1 {2}牛乳 \(低脂肪\) \/ low-fat milk.*\n.* 2 {2}牛乳 \(成分無調整\)/);
      expect((await place.dandori('answer', 'last', 'q1', '2')).code).toBe(0);
      const { code, stdout } = await place.dandori('resume', 'last', '--json');
      expect(code).toBe(0);
      const { tasks } = JSON.parse(stdout);
      expect(tasks.cook.result).toEqual({
        dish,
        servings: 3,
        used: [
          { name: '卵 / eggs', quantity: 6, unit: '個', remaining: 2 },
          { name: '牛乳 (成分無調整) / whole milk', quantity: 0.3, unit: '本', remaining: 1.7 },
          { name: 'バター / butter', quantity: 30, unit: 'g', remaining: 120 },
        ],
        cooked_for: 'aki',
      });
    },
  );

  const once = async (place: Place, operation: string, args: object) => {
    await place.write('one.json', JSON.stringify({ goal: 'cook', tasks: [{ id: 't1', operation, args }] }));
    const { stdout } = await place.dandori('run', '--plan', 'one.json', '--json');
    return JSON.parse(stdout).tasks.t1;
  };

  it('removes nothing if an ingredient is missing, and says which', async () => {
    await using place = await prepare();
    const cooked = await once(place, 'pantry.cook', { dish: 'omelette', servings: 5 });
    expect(cooked.failure.message).toContain('卵 / eggs 2 個');
    const list = await once(place, 'pantry.shopping_list', { dish: 'omelette', servings: 5 });
    expect(list.result.missing).toEqual([{ name: '卵 / eggs', quantity: 2, unit: '個' }]);
    const stock = await once(place, 'kitchen.list_inventory', {});
    expect(stock.result.items).toHaveLength(12);
  });

  it('does not use expired food', async () => {
    await using place = await prepare();
    const old = { name: '豆腐 / tofu', quantity: 9, unit: '丁', expires_on: '2020-01-01' };
    await once(place, 'kitchen.add_item', old);
    const list = await once(place, 'pantry.shopping_list', { dish: 'miso soup', servings: 8 });
    expect(list.result.missing).toEqual([{ name: '豆腐 / tofu', quantity: 1, unit: '丁' }]);
  });

  it('refuses a dish without a recipe', async () => {
    await using place = await prepare();
    const cooked = await once(place, 'pantry.cook', { dish: 'cake' });
    expect(cooked.failure.message).toContain('Known dishes: omelette (オムレツ), miso soup (味噌汁).');
  });
});
