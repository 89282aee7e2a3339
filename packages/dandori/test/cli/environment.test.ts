import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPlace } from './command.ts';

it('DANDORI_DATA_DIR says where the shipped servers keep their data, so that a test never writes to the real kitchen', async () => {
  await using place = await openPlace({ DANDORI_DATA_DIR: 'mine' });
  await place.write('dandori.yaml', 'mcpServers: {kitchen: {shipped: kitchen}}\n');
  await place.write(
    'plan.json',
    JSON.stringify([{ id: 't1', operation: 'kitchen.list_inventory', args: {} }]),
  );
  expect((await place.dandori('run', '--plan', 'plan.json', '--json')).code).toBe(0);
  await access(join(place.folder, 'mine', 'kitchen.db'));
});
