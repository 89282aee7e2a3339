import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { startUserApi } from '../config/user-api.ts';
import { openPlace } from './command.ts';

const TOKEN = 'tok-5ecret-77';

describe('settings of a user on the command line', () => {
  it('reach the mind, change the language, and stay when the run is resumed without the API', async () => {
    await using server = await startModelServer([
      { actions: [{ operation: 'ask', args: { question: 'どこ?' } }], expect: 'Answer like a pirate.' },
      { actions: [{ operation: 'answer', args: { text: 'Arr.' } }], expect: 'Answer like a pirate.' },
    ]);
    await using place = await openPlace({ USERS_TOKEN: TOKEN });
    const api = await startUserApi({ instructions: 'Answer like a pirate.', language: 'ja' });
    const config = {
      model: { provider: 'openai-compatible', name: 'scripted', base_url: server.url },
      mcpServers: {},
      instructions: 'Answer like a clerk.',
      user_config_api: { url: `${api.url}/u/{user_id}`, headers: { Authorization: 'Bearer ${USERS_TOKEN}' } },
    };
    await place.write('dandori.yaml', JSON.stringify(config));
    const asked = await place.dandori('run', 'hello', '--user', 'jack');
    expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining('回答：') });
    expect(api.requests).toMatchObject([{ url: '/u/jack', headers: { authorization: `Bearer ${TOKEN}` } }]);
    await api[Symbol.asyncDispose]();
    await place.dandori('answer', 'last', 'q1', 'here');
    const ended = await place.dandori('resume', 'last');
    expect(ended).toMatchObject({ code: 0, stdout: 'Arr.\n' });
    expect(ended.stderr).not.toContain('jack');
    const [run = ''] = await place.runs();
    expect(await place.journal(run)).not.toContain(TOKEN);
  });

  it.each([
    ['en', "The configuration of user jack can't be used (HTTP 500). Using the settings of the file."],
    ['ja', 'ユーザー jack の設定を使用できません（HTTP 500）。ファイルの設定を使います。'],
  ])('a broken API is reported in %s on stderr, and the run continues', async (language, text) => {
    await using api = await startUserApi((response: ServerResponse) => {
      response.writeHead(500).end();
    });
    await using place = await openPlace();
    const config = { language, mcpServers: { calc: { shipped: 'calc' } }, user_config_api: { url: api.url } };
    await place.write('dandori.yaml', JSON.stringify({ ...config, user_id: 'jack' }));
    const { code, stdout, stderr } = await place.dandori('run', '100 + 200を計算', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'answered' });
    expect(stderr).toContain(text);
  });
});
