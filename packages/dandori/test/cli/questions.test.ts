import { describe, expect, it } from 'vitest';
import { openPlace, type Place } from './command.ts';

const LETTERS = `${import.meta.dirname}/../../../../examples/services/letters.ts`;

/** No server, so that a start is quick; a plan, so that no mind is asked for one. */
async function prepare(approval: string, task: object, more: object = {}): Promise<Place> {
  const place = await openPlace();
  await place.write(
    'letters.yaml',
    JSON.stringify({ mcpServers: {}, services: [LETTERS], execution: { approval }, ...more }),
  );
  await place.write('plan.json', JSON.stringify({ goal: 'post', tasks: [{ id: 't1', ...task }] }));
  return place;
}

const FIND = { operation: 'letters.find_person', args: { name: 'Taro' } };
const SEND = {
  operation: 'letters.send',
  args: { to: 'p1', text: 'Dear Hanako' },
  reasoning: 'She waits for it.',
};
const CONFIG = ['--config', 'letters.yaml'];
const RUN = ['run', '--plan', 'plan.json', ...CONFIG];

describe('a question without a user at the terminal', () => {
  it('shows the call, why it is made, and the commands to continue with, so that the user does not approve blindly', async () => {
    await using place = await prepare('writes', SEND);
    const { code, stderr } = await place.dandori(...RUN);
    const [run] = await place.runs();
    expect(code).toBe(3);
    expect(stderr.split('\n')).toEqual([
      'Planned 1 task',
      '? Approve letters.send? (write)',
      '    letters.send',
      '      to: p1',
      '      text: Dear Hanako',
      '    Effect: Write',
      '    Can be undone: Unknown',
      '    Reason: She waits for it.',
      '    1  Approve',
      '    2  Reject',
      '    3  Approve for this run',
      '    4  Always approve with these arguments',
      '    5  Always approve this tool',
      `Answer:  dandori answer --config letters.yaml ${run} q1 <answer>`,
      `Resume:  dandori resume --config letters.yaml ${run}`,
      expect.stringMatching(new RegExp(`^run ${run} · [\\d.]+ m?s$`)),
      '',
    ]);
    expect((await place.dandori('show', 'last', ...CONFIG)).stderr).toContain('to: p1');
    const answered = await place.dandori('answer', 'last', 'q1', '2', ...CONFIG);
    expect(answered.stderr).toContain(`dandori resume --config letters.yaml ${run}`);
    const resumed = await place.dandori('resume', 'last', ...CONFIG);
    expect(resumed.stderr).toMatch(/^Resumed\n/);
    expect(resumed.stderr).toContain('letters.send was rejected.');
    expect(resumed.code).toBe(1);
  });

  it.each([
    ['whose goal is in Japanese', { goal: '手紙を送る' }, {}],
    ['where that is configured', {}, { language: 'ja' }],
  ])('is in Japanese for a person %s, and so is all that follows', async (_, goal, language) => {
    await using place = await prepare('writes', SEND, language);
    const tasks = [{ id: 't1', ...SEND, reasoning: '返事を待っています' }];
    await place.write('plan.json', JSON.stringify({ goal: 'post', tasks, ...goal }));
    const { stderr } = await place.dandori(...RUN);
    const [run] = await place.runs();
    expect(stderr.split('\n')).toEqual([
      'タスク 1 件を計画しました',
      '? letters.send を承認しますか？（書き込み）',
      '    letters.send',
      '      to: p1',
      '      text: Dear Hanako',
      '    影響：書き込み',
      '    元に戻す：不明',
      '    理由：返事を待っています',
      '    1  承認',
      '    2  却下',
      '    3  この実行では常に承認',
      '    4  同じ引数なら今後も承認',
      '    5  このツールは今後も承認',
      `回答：  dandori answer --config letters.yaml ${run} q1 <回答>`,
      `再開：  dandori resume --config letters.yaml ${run}`,
      expect.stringMatching(new RegExp(`^実行 ${run} · [\\d.]+ m?s$`)),
      '',
    ]);
    const answered = await place.dandori('answer', 'last', 'q1', 'reject', ...CONFIG);
    expect(answered.stderr).toContain('回答を保存しました。\n');
    const resumed = await place.dandori('resume', 'last', ...CONFIG);
    expect(resumed.stderr).toContain('失敗：letters.send は却下されました。\n');
    expect(resumed.stderr).toContain('  - t1 letters.send：失敗\n');
    expect(resumed.stdout).toBe('承認されなかったため、実行していません（letters.send）。\n');
    const shown = await place.dandori('show', 'last', ...CONFIG);
    expect(shown.stdout).toContain('\n失敗、');
  });

  it('is answered by the number of an option', async () => {
    await using place = await prepare('writes', { ...FIND, args: { name: 'Hanako' } });
    const { stderr } = await place.dandori(...RUN);
    expect(stderr).toContain('\n    1  Hanako Sato\n    2  Hanako Suzuki\n');
    const { stdout } = await place.dandori('answer', 'last', 'q1', '2', '--json', ...CONFIG);
    expect(JSON.parse(stdout)).toMatchObject({ question: 'q1', answer: 'p2' });
  });

  it('is answered by --yes without mentioning a pause', async () => {
    await using place = await prepare('always', FIND);
    const { code, stderr } = await place.dandori(...RUN, '--yes');
    expect(stderr).not.toContain('Resumed');
    expect(stderr).not.toContain('language model');
    expect(stderr).toContain('✓ t1 letters.find_person');
    expect(code).toBe(0);
  });
});

describe('an effect for a tool that is not there', () => {
  it('names the tool that was probably meant, unless its server is missing', async () => {
    await using place = await prepare('writes', FIND);
    const effects = { 'letters.sent': 'read', 'nosuch.tool': 'read', 'off.tool': 'read' };
    const mcpServers = { off: { command: 'nothing', disabled: true } };
    await place.write('letters.yaml', JSON.stringify({ mcpServers, services: [LETTERS], effects }));
    const { stderr } = await place.dandori('tools', ...CONFIG);
    expect(stderr).toBe(
      '! effects: no tool letters.sent. Did you mean letters.send?\n! effects: no tool nosuch.tool\n',
    );
  });

  it('is also reported for a probe that is missing or writes', async () => {
    await using place = await prepare('writes', FIND);
    const probe = (tool: string) => ({ probe: tool, args: {}, settled_when: 'found' });
    const mcpServers = { off: { command: 'nothing', disabled: true } };
    const stderrWith = async (tool: string) => {
      const effects = { 'letters.send': probe(tool) };
      await place.write('letters.yaml', JSON.stringify({ mcpServers, services: [LETTERS], effects }));
      return (await place.dandori('tools', ...CONFIG)).stderr;
    };
    const cannot = "! effects: letters.send can't be checked with";
    expect(await stderrWith('letters.finds')).toBe(`${cannot} letters.finds: there is no such tool\n`);
    expect(await stderrWith('letters.send')).toBe(`${cannot} letters.send: it is not a read\n`);
    expect(await stderrWith('letters.find_person')).toBe('');
    expect(await stderrWith('off.find')).toBe('');
  });
});
