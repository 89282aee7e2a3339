/**
 * The same ten calls by Dandori, declared as writes: `node dandori.ts FOLDER [probe]`. Questions are answered by looking;
 * with a probe Dandori looks itself.
 */
import { defineService, loadConfig, openDandori } from 'dandori';
import * as z from 'zod';
import { effectsIn, send, TASKS } from './effect.js';

const [folder = '.', way] = process.argv.slice(2);
const mail = defineService({
  name: 'mail',
  methods: {
    send: {
      description: 'Sends one',
      effect: 'write',
      trusted: true,
      input: z.object({ index: z.number() }),
      run: ({ index }) => send(folder, index),
    },
    find: {
      description: 'Looks whether one was sent',
      effect: 'read',
      trusted: true,
      input: z.object({ index: z.number() }),
      run: ({ index }) => ({ found: effectsIn(folder).includes(index) }),
    },
  },
});
const probe = { tool: 'mail.find', args: { index: '{index}' }, settledWhen: 'found', wait: 0 };
const config = await loadConfig({ cwd: folder, env: {} });
await using dandori = await openDandori({
  config: { ...config, mcpServers: {}, effects: way === 'probe' ? { 'mail.send': { probe } } : {} },
  tools: { mail },
});
const [known] = await dandori.runs({ limit: 1 });
const tasks = Array.from({ length: TASKS }, (_, index) => ({
  id: `t${index}`,
  operation: 'mail.send',
  args: { index },
  after: index === 0 ? [] : [`t${index - 1}`],
}));
const onQuestion = ({ task = '' }: { task?: string | undefined }) => {
  process.stdout.write('asked\n');
  return effectsIn(folder).includes(Number(task.slice(1))) ? 'happened' : 'again';
};
const run =
  known === undefined
    ? dandori.run('send all', { tasks, onQuestion })
    : dandori.open(known.run, { onQuestion });
await run.output().catch(() => {});
