import { expect, it } from 'vitest';
import { openPlace } from './command.ts';

const plan = (expression: string) =>
  JSON.stringify({ goal: 'sum', tasks: [{ id: 't1', operation: 'calc.evaluate', args: { expression } }] });

it('runs a plan again when its file changes, continues after a mistake in it, and ends with Ctrl-C', async () => {
  await using place = await openPlace();
  await place.write('sum.plan.json', plan('1 + 2'));
  const { child, finished } = place.begin('run', '--plan', 'sum.plan.json', '--watch');
  let said = '';
  child.stderr?.on('data', (text: string) => {
    said += text;
  });
  const waits = () => said.split('Waiting for a change').length - 1;
  await expect.poll(waits).toBe(1);
  await place.write('sum.plan.json', '{ "tasks": ');
  await expect.poll(waits).toBe(2);
  await place.write('sum.plan.json', plan('20 + 3'));
  await expect.poll(waits).toBe(3);
  child.kill('SIGINT');
  const { code, stdout } = await finished;
  expect(code).toBe(0);
  expect(stdout).toContain('23');
  expect(await place.runs()).toHaveLength(2);
  expect(said).toContain('error[');
});

it('needs a plan to watch', async () => {
  await using place = await openPlace();
  const { code, stderr } = await place.dandori('run', '1 + 2', '--watch');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--watch needs a plan file')]);
});
