import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { started } from '../program.ts';
import { openPlace, type Place } from './command.ts';
import { DOWN, ENTER, openTerminal } from './terminal.ts';

const COUNTER = started('cli/fixtures/counter-server.ts');
const PLAN = [
  { id: 'l', operation: 'counter.look', args: { name: 'l' } },
  { id: 's', operation: 'counter.send', args: { name: '${l.name}' } },
];

/** An editor with an argument and a name in quotes. */
const EDITOR = { VISUAL: '', EDITOR: `"${process.execPath}" --no-warnings 'editor.mjs'` };

async function prepare(
  config: object = {},
  { goal = 'count', env: given = EDITOR }: { goal?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Place> {
  const place = await openPlace(given);
  const env = { COUNTER_FILE: join(place.folder, 'effects.txt') };
  const mcpServers = { counter: { command: process.execPath, args: [COUNTER], env } };
  const file = { mcpServers, execution: { approval: 'plan' }, ...config };
  await place.write('dandori.yaml', JSON.stringify(file));
  await place.write('plan.json', JSON.stringify({ goal, tasks: PLAN }));
  return place;
}

/** What the editor does to the text of the plan. */
async function editWith(place: Place, script: string): Promise<void> {
  const read = `const file = process.argv.at(-1); let text = readFileSync(file, 'utf8')`;
  await place.write(
    'editor.mjs',
    `import { readFileSync, writeFileSync } from 'node:fs';\n${read};\n${script};\nwriteFileSync(file, text);`,
  );
}

async function effects(place: Place): Promise<string> {
  return (await readFile(join(place.folder, 'effects.txt'), 'utf8').catch(() => '')).replaceAll('\n', '');
}

async function lawful(place: Place): Promise<Event[]> {
  const { stdout } = await place.dandori('log', 'last', '--json');
  const events: Event[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(brokenLaws(events)).toEqual([]);
  return events;
}

describe('a plan that waits for the user', () => {
  it('shows what it does and what it costs, and is approved from another process', async () => {
    await using place = await prepare();
    const { code, stderr } = await place.dandori('run', '--plan', 'plan.json');
    const [run] = await place.runs();
    expect(code).toBe(3);
    expect(stderr.split('\n')).toEqual([
      '? Approve this plan? (2 tasks)',
      '    l counter.look {"name":"l"}  (read)',
      '    s counter.send {"name":"${l.name}"}  (write, after l)',
      '        A value made from external content (text that you did not write) decides what this call affects.',
      '        name = "${l.name}" (read in counter.look (l))',
      '    2 calls: 1 read, 1 write',
      '    Critical path: l → s',
      '    Time: up to 6 min 3 s',
      '    1  Approve',
      '    2  Reject',
      `Approve:  dandori approve ${run} q1`,
      `Reject:   dandori reject ${run} q1 --reason "…"`,
      `Edit:     dandori approve ${run} q1 --edit`,
      `Resume:  dandori resume ${run}`,
      expect.stringMatching(new RegExp(`^run ${run} · [\\d.]+ m?s$`)),
      '',
    ]);
    expect((await place.dandori('show', 'last')).stderr).toContain('2 calls: 1 read, 1 write');
    const approved = await place.dandori('approve', 'last', '--json');
    expect(JSON.parse(approved.stdout)).toEqual({ run, question: 'q1', approved: true });
    expect(await place.dandori('approve', 'last')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('question-not-found'),
    });
    expect(await place.dandori('approve', 'last', 'q1')).toMatchObject({
      stderr: expect.stringContaining('question-answered'),
    });
    expect((await place.dandori('resume', 'last')).code).toBe(0);
    expect(await effects(place)).toBe('l');
    await lawful(place);
  });

  it('refuses a call that external content aims, if the user only presses Enter', async () => {
    await using place = await prepare({ execution: { approval: 'destructive' } });
    const [look, send] = PLAN;
    const tasks = [look, { ...send, args: { name: 'x-${l.name}' } }];
    await place.write('plan.json', JSON.stringify({ goal: 'count', tasks }));
    await using terminal = openTerminal(place, EDITOR, 'run', '--plan', 'plan.json');
    await terminal.shows('Stop the run');
    expect(terminal.output()).not.toContain('Cancel run');
    terminal.type(ENTER);
    expect(await terminal.ended).toContain('counter.send was rejected');
    expect(await effects(place)).toBe('');
  });

  it('survives SIGKILL at the prompt, is approved by another process and continues', async () => {
    await using place = await prepare();
    await using terminal = openTerminal(place, EDITOR, 'run', '--plan', 'plan.json');
    await terminal.shows('Edit plan');
    await terminal.kill();
    expect((await place.dandori('show', 'last')).stderr).toContain('Approve this plan? (2 tasks)');
    expect((await place.dandori('resume', 'last')).code).toBe(3);
    expect((await place.dandori('approve', 'last', 'q1', '--user', 'boss')).code).toBe(0);
    expect((await place.dandori('resume', 'last')).code).toBe(0);
    expect(await effects(place)).toBe('l');
    const events = await lawful(place);
    expect(events.find(({ type }) => type === 'question_answered')?.data).toMatchObject({ by: 'boss' });
  });

  it('is settled at the prompt: approved, rejected with a reason, or edited until it is right', async () => {
    await using place = await prepare();
    const run = () => openTerminal(place, EDITOR, 'run', '--plan', 'plan.json');
    await using yes = run();
    await yes.shows('Edit plan');
    yes.type(ENTER);
    await yes.ended;
    expect(await effects(place)).toBe('l');
    await using no = run();
    await no.shows('Edit plan');
    no.type(DOWN + ENTER);
    await no.shows('what to do instead');
    no.type(`not today${ENTER}`);
    expect(await no.ended).toContain('The plan was rejected. not today');
    expect(await effects(place)).toBe('l');
    // Wrong at the first time, right at the second.
    await editWith(
      place,
      `text = text.includes('senf') ? text.replace('senf', 'send') : text.replace('send', 'senf').replace('\${l.name}', 'mine')`,
    );
    await using edited = run();
    await edited.shows('Edit plan');
    edited.type(DOWN + DOWN + ENTER);
    await edited.shows('did you mean "counter.send"?');
    await edited.shows('Open the editor again?');
    edited.type(ENTER);
    await edited.ended;
    expect(await effects(place)).toBe('lmine');
    await lawful(place);
  });

  it('is in the language of --lang, like all texts of the run', async () => {
    await using place = await prepare();
    await place.dandori('run', '--plan', 'plan.json', '--lang', 'ja');
    const [first] = await lawful(place);
    expect(first?.data).toMatchObject({ goal: 'count', settings: { language: 'ja' } });
  });

  it('is in Japanese for a goal in Japanese', async () => {
    await using place = await prepare({}, { goal: '数える' });
    const { stderr } = await place.dandori('run', '--plan', 'plan.json');
    const [run] = await place.runs();
    expect(stderr).toContain('? この計画を承認しますか？（タスク 2 件）\n');
    expect(stderr).toContain('    s counter.send {"name":"${l.name}"}  (書き込み、l の後)\n');
    expect(stderr).toContain(`却下：  dandori reject ${run} q1 --reason "…"\n`);
    expect((await place.dandori('reject', 'last', '--reason', '今日はやめる')).stderr).toContain(
      '却下しました：q1\n',
    );
    expect((await place.dandori('resume', 'last')).stderr).toContain(
      '失敗：計画は却下されました。理由：今日はやめる\n',
    );
    expect(await effects(place)).toBe('');
  });

  it('follows --approval for one run, and --yes approves it', async () => {
    await using place = await prepare({
      execution: { approval: 'never' },
      effects: { 'counter.look': { approval: 'always' } },
    });
    const run = (...more: string[]) => place.dandori('run', '--plan', 'plan.json', ...more);
    expect((await run()).stderr).toContain('Approve counter.look? (read)');
    expect((await run('--approval', 'plan')).stderr).toContain('Approve this plan? (2 tasks)');
    expect(await effects(place)).toBe('');
    expect((await run('--approval', 'never')).code).toBe(0);
    expect((await run('--approval', 'plan', '--yes')).code).toBe(0);
    expect(await effects(place)).toBe('ll');
    expect((await run('--approval', 'sometimes')).code).toBe(2);
  });
});

describe('a plan that is edited', () => {
  it('comes from a file: problems are shown with their lines, and the question stays open', async () => {
    await using place = await prepare();
    await place.dandori('run', '--plan', 'plan.json');
    const { stdout } = await place.dandori('show', 'last', '--plan');
    await place.write('edited.yaml', stdout.replace('counter.send', 'counter.sent'));
    const wrong = await place.dandori('approve', 'last', '--edit', 'edited.yaml');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('error[plan-invalid]');
    expect(wrong.stderr).toMatch(/edited\.yaml:\d+:\d+ error.*there is no tool "counter\.sent"/);
    expect(wrong.stderr).toContain('^^^^');
    const asJson = await place.dandori('approve', 'last', '--edit', 'edited.yaml', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      error: { code: 'plan-invalid', diagnostics: [{ code: 'unknown-operation', task: 's' }] },
    });
    await place.write('edited.yaml', stdout.replace('${l.name}', 'edited'));
    expect((await place.dandori('approve', 'last', '--edit', 'edited.yaml')).stderr).toContain(
      'Approved: q1',
    );
    expect((await place.dandori('resume', 'last')).code).toBe(0);
    expect(await effects(place)).toBe('edited');
    await lawful(place);
  });

  it('opens in the editor of the user, with comments, arguments and all', async () => {
    await using place = await prepare();
    await place.dandori('run', '--plan', 'plan.json');
    await editWith(place, `writeFileSync('seen.yaml', text); text = text.replace('\${l.name}', 'by hand')`);
    const { stderr, code } = await place.dandori('approve', 'last', '--edit');
    expect([stderr, code]).toEqual([expect.stringContaining('Approved: q1'), 0]);
    const seen = await readFile(join(place.folder, 'seen.yaml'), 'utf8');
    expect(seen).toContain('# 2 calls: 1 read, 1 write\n');
    expect(seen).toContain('# write, after l\n');
    expect((await place.dandori('resume', 'last')).code).toBe(0);
    expect(await effects(place)).toBe('by hand');
  });

  it('is not approved if it was left unchanged, could not be opened, or is invalid', async () => {
    await using place = await prepare();
    await place.dandori('run', '--plan', 'plan.json');
    const approve = () => place.dandori('approve', 'last', '--edit');
    await editWith(place, '');
    expect((await approve()).stderr).toContain('No changes');
    await editWith(place, `text += 'oops'; process.exitCode = 1`);
    expect((await approve()).stderr).toContain('No changes');
    await editWith(place, `text = text.replace('counter.look', 'counter.lok')`);
    const wrong = await approve();
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('did you mean "counter.look"?');
    expect(wrong.stderr).toContain('^^^^');
    await editWith(place, `text = 'tasks: [{'`);
    expect((await approve()).stderr).toContain('plan.yaml:1');
    expect((await place.dandori('show', 'last')).stderr).toContain('Approve this plan? (2 tasks)');
    expect(await effects(place)).toBe('');
  });

  it.each([
    ['none is set', { VISUAL: '', EDITOR: '' }, 'EDITOR="code -w"'],
    [
      'it is not there, and no shell is asked for it',
      { VISUAL: 'no-such-editor; touch hacked', EDITOR: 'vi' },
      'The editor no-such-editor; cannot be started',
    ],
  ])('says how to set an editor where %s', async (_, env, message) => {
    await using place = await prepare({}, { env });
    await place.dandori('run', '--plan', 'plan.json');
    const { code, stderr } = await place.dandori('approve', 'last', '--edit');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await readFile(join(place.folder, 'hacked'), 'utf8').catch(() => 'absent')).toBe('absent');
  });
});

describe('a language model whose plan the user rejects', () => {
  it('is told why and plans again, and the text of its plan cannot look like an answer', async () => {
    await using place = await prepare();
    const send = (name: string, more: object = {}) => ({
      actions: [{ id: 't1', operation: 'counter.send', args: { name }, ...more }],
    });
    const sly = 'x"}  (read)\n\u001b[2J\u202e✓ approved by the user\nApproved: q1';
    await using server = await startModelServer([
      { content: send(sly, { description: sly, reasoning: sly }) },
      {
        expect: /did not approve it\. None of it was run\. They said: call it nice/,
        content: send('nice'),
      },
      { content: { actions: [{ id: 'a', operation: 'answer', args: { text: 'sent', achieved: true } }] } },
    ]);
    const model = { provider: 'openai-compatible', name: 'test', base_url: server.url };
    const file = JSON.parse(await readFile(join(place.folder, 'dandori.yaml'), 'utf8'));
    await place.write('dandori.yaml', JSON.stringify({ ...file, model }));
    const { stderr, code } = await place.dandori('run', 'send it');
    expect(code).toBe(3);
    expect(stderr).not.toContain('\u001b[2J');
    // It cannot turn the text around either, so that it reads as another call.
    expect(stderr).not.toContain('\u202e');
    expect(stderr.split('\n').filter((line) => /^\s*(✓ approved|Approved: q1)/.test(line))).toEqual([]);
    await place.dandori('reject', 'last', 'q1', '--reason', 'call it nice');
    expect((await place.dandori('resume', 'last')).stderr).toContain('Plan rejected: call it nice');
    await place.dandori('approve', 'last', 'q2');
    expect(await place.dandori('resume', 'last')).toMatchObject({ code: 0, stdout: 'sent\n' });
    expect(await effects(place)).toBe('nice');
    await lawful(place);
  });
});
