import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { jsonDialect } from '../../../src/mind/language/dialects/json.ts';
import { toolsDialect } from '../../../src/mind/language/dialects/native.ts';
import type { Thought } from '../../../src/mind/mind.ts';
import type { Json } from '../../../src/model/json.ts';
import { withOwnTools } from '../../../src/model/own-tools.ts';
import type { Mode } from '../../../src/model/settings.ts';
import type { Action } from '../../../src/model/task.ts';
import type { Tool } from '../../../src/model/tool.ts';
import type { Reply } from '../../../src/testing/scripted-mind.ts';
import { createHouse } from '../../driver/house.ts';
import { find } from './asking.ts';
import { Story } from './thought.ts';

const DIALECTS = [
  ['json', jsonDialect],
  ['tools', toolsDialect],
] as const;

const reflect: Action = { id: 'r', operation: 'reflect', args: { status: 'success' } };
const answer: Action = { id: 'a', operation: 'answer', args: { text: 'done', achieved: true } };
const propose = (criteria: string[]): Action => ({
  id: 'p',
  operation: 'plan.propose',
  args: { objective: 'all of it', success_criteria: criteria },
});

describe.each(DIALECTS)('what the model need not know at first, in the %s dialect', (name, dialect) => {
  const everything = (thought: Thought) => {
    const { instructions, messages } = dialect.write(thought);
    return [instructions, JSON.stringify(messages)].join('\n');
  };

  /** The prompts of a run that is asked to look back after every task. */
  async function promptsOf(
    replies: readonly (readonly Action[])[],
    mode: Mode,
    result: Json = 1,
  ): Promise<string[]> {
    const prompts: string[] = [];
    const seen = (actions: readonly Action[]): Reply => {
      return (thought) => {
        prompts.push(everything(thought));
        return actions;
      };
    };
    const house = createHouse({ 'a.get': { run: () => result } }, replies.map(seen));
    const planning = {
      strategy: 'chain_of_thought',
      decomposition: 'moderate',
      reflection: { onError: true, interval: 1 },
      revisions: 3,
    } as const;
    expect((await house.run('go', undefined, { mode, planning })).end?.outcome).toBe('answered');
    return prompts;
  }

  const get = (n: number): Action => ({ id: `t${n}`, operation: 'a.get', args: { n } });

  it('how to look back is told in full once, and then briefly', async () => {
    const prompts = await promptsOf(
      [[get(1)], [reflect, get(2)], [reflect, get(3)], [reflect, answer]],
      'adaptive',
    );
    const count = (part: string) => prompts.map((prompt) => prompt.split(part).length - 1);
    expect(count('Then go on in the same list')).toEqual([0, 1, 1, 1]);
    // Each request names the operation: a model that is only told to look back may do so in words.
    expect(count('Look back again with `reflect`')).toEqual([0, 0, 1, 2]);
  });

  it('how to read more of a result is told with the first that is not shown in full', async () => {
    const replies = [[get(1)], [reflect, get(2)], [reflect, answer]];
    const count = (prompts: readonly string[]) =>
      prompts.map((prompt) => prompt.split('result.read: Reads more').length - 1);
    const large = await promptsOf(replies, 'adaptive', 'x'.repeat(20_000));
    expect(count(large)).toEqual(name === 'json' ? [0, 1, 1] : [0, 0, 0]);
    expect(count(await promptsOf(replies, 'adaptive'))).toEqual([0, 0, 0]);
  });

  it('how to return the actions of steps is told in full once, and then briefly', async () => {
    const steps = ['s1', 's2', 's3'].map((id, index, ids) => ({
      id,
      description: 'look',
      ...(index > 0 && { after: ids.slice(index - 1, index) }),
    }));
    const plan: Action = { id: 'p', operation: 'plan.propose', args: { objective: 'all of it', steps } };
    const replies = [[plan], [get(1)], [reflect, get(2)], [reflect, get(3)], [reflect, answer]];
    const prompts = await promptsOf(replies, 'hierarchical');
    const count = (part: string) => prompts.map((prompt) => prompt.split(part).length - 1);
    expect(count('set `step` of each')).toEqual([0, 1, 1, 1, 1]);
    expect(count('as before. Steps: ')).toEqual([0, 0, 1, 2, 2]);
  });

  it('how criteria are judged is told with the plan that has them', async () => {
    const judged = { ...answer, args: { ...answer.args, criteria: [{ met: true, because: 'it is' }] } };
    const prompts = await promptsOf(
      [
        [propose(['It is known']), get(1)],
        [reflect, judged],
      ],
      'auto',
    );
    const isTold = prompts.map((prompt) => prompt.includes('judges each success criterion'));
    expect(isTold).toEqual([false, true]);
    const without = await promptsOf(
      [
        [propose([]), get(1)],
        [reflect, answer],
      ],
      'auto',
    );
    expect(without.some((prompt) => prompt.includes('judges each success criterion'))).toBe(false);
    // A native tool describes itself.
    const canRevise = [...prompts, ...without].map((prompt) => prompt.includes('`plan.revise` {'));
    expect(canRevise).toEqual([false, name === 'json', false, name === 'json']);
  });

  it('how criteria are judged is told from the start with a plan of the user, which may have them', () => {
    const given = new Story('x', { mode: 'adaptive', planGiven: true }).thought();
    expect(everything(given)).toContain('judges each success criterion');
  });

  it('a default is asked for only where a question can expire', () => {
    const story = new Story('x', { mode: 'adaptive' });
    const sent = () =>
      `${everything(story.thought())} ${JSON.stringify(dialect.send(story.thought(), OPTIONS))}`;
    expect(sent()).not.toContain('is used if there is no answer');
    story.state.settings = {
      ...story.state.settings,
      questions: { expireAfter: 1000, whenExpired: 'decline' },
    };
    expect(sent()).toContain('is used if there is no answer');
  });

  it('a refused list is written again as a whole where there are no plans', () => {
    const corrected = (mode: Mode) => {
      const story = new Story('x', { mode }).started('act');
      story.add({ type: 'decision_made', data: { decision: 1, ms: 1 } }).proposed([find]);
      story.add({
        type: 'plan_rejected',
        data: { version: 1, diagnostics: [{ code: 'cycle', message: 'no' }] },
      });
      return JSON.stringify(dialect.write(story.thought()).messages);
    };
    expect(corrected('adaptive')).toContain('the whole corrected list');
    expect(corrected('adaptive')).not.toMatch(/plan.revise/);
    expect(corrected('auto')).toMatch(/plan.revise/);
  });
});

const OPTIONS = { provider: 'openai-compatible', name: 'test', dialect: 'json' } as never;

const SHIPPED = JSON.parse(
  readFileSync(new URL('../built-in/shipped-tools.json', import.meta.url), 'utf8'),
) as Tool[];

/** As many as a bare loop with the same tools sends: 1,963, of which 1,929 are tools. */
it.each([
  ['json', 'adaptive', 1_725],
  ['json', 'auto', 2_220],
  ['tools', 'adaptive', 2_300],
  ['tools', 'auto', 3_550],
] as const)('the first prompt of a small goal has few tokens (%s, %s)', (name, mode, most) => {
  const dialect = name === 'json' ? jsonDialect : toolsDialect;
  const thought = new Story('What is the capital of Japan?', { mode }).thought({
    tools: withOwnTools(new Map(SHIPPED.map((tool) => [tool.name, { ...tool, trusted: true }]))),
  });
  const { instructions, messages } = dialect.write(thought);
  const { tools = [] } = dialect.send(thought, OPTIONS);
  const sent = [JSON.stringify(tools), instructions, JSON.stringify(messages)].join('\n');
  expect(countTokens(sent)).toBeLessThanOrEqual(most);
});

it('what was told with a plan is told again when the memory replaces its turn', async () => {
  const prompts: string[] = [];
  const get = (n: number): Action => ({ id: `t${n}`, operation: 'a.get', args: { n } });
  const seen = (actions: readonly Action[]): Reply => {
    return (thought) => {
      const { length } = thought.state.decisions;
      const { instructions, messages } = jsonDialect.write(thought, undefined, {
        from: length,
        asOf: length,
      });
      prompts.push(instructions + messages.map(({ content }) => content).join('\n'));
      return actions;
    };
  };
  const house = createHouse({ 'a.get': { run: () => 1 } }, [
    seen([propose([]), get(1)]),
    seen([get(2)]),
    seen([answer]),
  ]);
  expect((await house.run('go', undefined, { mode: 'auto' })).end?.outcome).toBe('answered');
  expect(prompts.map((prompt) => prompt.includes('`plan.get`'))).toEqual([false, true, true]);
});
