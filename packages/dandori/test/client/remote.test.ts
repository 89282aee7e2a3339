import { expect, it } from 'vitest';
import { openRemote } from '../../src/cli/remote/open-remote.ts';
import { look, stand } from '../server/standing.ts';

it('shows a run from its first event, however quick the server was', async () => {
  await using standing = await stand();
  const told: number[] = [];
  await using remote = await openRemote(
    { cwd: standing.folder, onEvent: ({ seq }) => told.push(seq) },
    { server: standing.url },
  );
  const begun: number[] = [];
  const onStart = (events: readonly { seq: number }[]) => begun.push(...events.map(({ seq }) => seq));
  const run = await remote.start('look', { tasks: [look('tea')], onStart });
  await standing.client.settled(run);
  expect((await remote.drive(run)).outcome).toBe('answered');
  const all = await standing.client.events(run);
  expect([...begun, ...told]).toEqual(all.map(({ seq }) => seq));
});
