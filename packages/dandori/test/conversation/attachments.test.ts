import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyBetween } from '../../src/app/copy.ts';
import { createClient } from '../../src/client/client.ts';
import { openDandori } from '../../src/index.ts';
import type { ModelRequestBody } from '../../src/testing/model-server/index.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { sees } from '../cli/screen.ts';
import { openTerminal } from '../cli/terminal.ts';
import { act, answer, say } from '../requirements/home.ts';
import { stand } from '../server/standing.ts';
import { theseHold } from './laws.ts';
import { openTown } from './town.ts';

/** A picture of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };

function imagesIn({ messages = [] }: ModelRequestBody): number[] {
  return messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? [content.filter((part) => JSON.stringify(part) === JSON.stringify(IMAGE)).length]
      : [],
  );
}

describe('files in a chat', () => {
  it('are attached by /attach, go with the next message, and later runs read them by name', async () => {
    await using town = await openTown([
      { ...answer('A pixel.'), expect: /- attachment-1\.png \(image\/png, 70 B\)/ },
      {
        ...say([act('r', 'attachment.read', { name: 'attachment-1.png' })]),
        expect: /attachment-1\.png \(image\/png, 70 B, with an earlier message\)/,
      },
      answer('Still a pixel.'),
    ]);
    await writeFile(join(town.place.folder, 'pixel.png'), Buffer.from(PNG, 'base64'));
    await using terminal = openTerminal(town.place, town.place.env, 'chat');
    await sees(terminal, /›$/);
    terminal.type('/attach nothing.png\r');
    await sees(terminal, /error\[file-unreadable\]: nothing\.png/);
    terminal.type('/attach pixel.png\r');
    await sees(terminal, /With your next message: pixel\.png \(70 B\)/);
    terminal.type('what is this\r');
    await sees(terminal, /● A pixel\.\n+›$/);
    terminal.type('look again\r');
    await sees(terminal, /● Still a pixel\.\n+›$/);
    terminal.type('/quit\r');
    expect(await terminal.code).toBe(0);
    // The second run is not shown the picture until it reads it.
    expect(town.model.requests.map(({ body }) => imagesIn(body))).toEqual([[1], [], [1]]);
    await theseHold(town.place.folder);
  });

  it('are kept as long as the conversation, also if the run that they were given to is pruned', async () => {
    await using temporary = await createTemporaryJournal();
    const mind = createScriptedMind([
      [act('a', 'answer', { text: 'Seen.' })],
      [act('r', 'attachment.read', { name: 'list.csv' })],
      ({ result }) => [act('b', 'answer', { text: JSON.stringify(result('r')) })],
    ]);
    await using dandori = await openDandori({ store: temporary.store, model: mind });
    await using conversation = await dandori.conversation();
    await conversation.say('what is this', { attachments: [{ name: 'list.csv', data: 'milk,2\n' }] });
    await conversation.settled();
    const folder = join(temporary.directory, 'blobs');
    const long = new Date(Date.now() - 7_200_000);
    for (const name of await readdir(folder, { recursive: true }))
      if (name.endsWith('.json')) await utimes(join(folder, name), long, long);
    expect((await dandori.prune({ olderThan: 0 })).runs).toHaveLength(1);
    const copied = await copyBetween(temporary.directory, join(temporary.directory, 'copy'));
    expect(copied).toMatchObject({ runs: { copied: 0 }, conversations: { copied: 1 }, blobs: 1 });
    await conversation.say('read it');
    await conversation.settled();
    expect(conversation.messages().at(-1)?.text).toContain('milk,2');
  });

  it('are sent over HTTP, with a first message and a later one, and never answer a question', async () => {
    await using model = await startModelServer(({ promptText }) =>
      /text\/csv/.test(promptText) ? answer('I read the list.') : answer('Seen.'),
    );
    await using standing = await stand({
      model: { provider: 'openai-compatible', name: 'm', base_url: model.url },
    });
    const { conversations } = createClient({ url: standing.url });
    const pixel = { name: 'pixel.png', data: Buffer.from(PNG, 'base64') };
    const { conversation } = await conversations.begin('what is this', { attachments: [pixel], key: 'a' });
    const again = await conversations.begin('what is this', { attachments: [pixel], key: 'a' });
    expect(again.conversation).toBe(conversation);
    const list = { name: 'list.csv', data: 'a,b\n', type: 'text/csv' };
    await conversations.say(conversation, 'and this', { attachments: [list, pixel] });
    const settled = async () => (await conversations.get(conversation)).runs.map(({ outcome }) => outcome);
    await expect.poll(settled).toEqual(['answered', 'answered']);
    const { messages } = await conversations.get(conversation);
    const files = messages.filter(({ role }) => role === 'user').map(({ attachments = [] }) => attachments);
    expect(files.map((of) => of.map(({ name, type }) => `${name} ${type}`))).toEqual([
      ['pixel.png image/png'],
      ['list.csv text/csv', '2-pixel.png image/png'],
    ]);
    await expect(
      conversations.say(conversation, 'and this', { attachments: [list], key: 'b' }),
    ).resolves.toMatchObject({ kind: 'begun' });
    await expect(
      conversations.say(conversation, 'and this', { attachments: [pixel], key: 'b' }),
    ).rejects.toThrow(/key was used for another message/);
  });
});
