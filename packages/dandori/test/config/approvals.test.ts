import { describe, expect, it } from 'vitest';
import { layUserConfig } from '../../src/config/user-config.ts';
import { load, refusal } from './workspace.ts';

describe('approval', () => {
  it('is set for all, for a server, for a service and for a tool', async () => {
    const { settings, effects } = await load(`
execution: { approval: plan }
mcpServers:
  files: { command: x, approval: writes }
  calc: { shipped: calc }
  remote: { url: "https://example.com", approval: never }
effects:
  files.delete: { approval: always, effect: destructive }
  files.read: read
  letters.*: { approval: never }
`);
    expect(settings.approval).toBe('plan');
    expect(settings.approvals).toEqual({
      files: 'writes',
      remote: 'never',
      letters: 'never',
      'files.delete': 'always',
    });
    expect(effects['files.delete']).toEqual({ effect: 'destructive' });
  });

  it('is missing if none is set', async () => {
    expect((await load('{}')).settings).not.toHaveProperty('approvals');
  });

  it.each([
    [
      'mcpServers: { a: { command: x, approval: sometimes } }',
      'must be never, destructive, writes, plan, step or always',
    ],
    ['effects: { a.b: { approval: yes } }', 'must be never, destructive, writes, plan, step or always'],
    [
      'mcpServers: { a: { command: x } }\neffects: { a.*: { approval: never } }',
      'write mcpServers.a.approval',
    ],
    ['effects: { letters.*: read }', 'only the approval can be set'],
    ['effects: { letters.*: { approval: never, cost: 1 } }', 'only the approval can be set'],
  ])('an invalid policy is refused: %s', async (yaml, message) => {
    expect((await refusal(load(yaml))).message).toContain(message);
  });
});

describe('the configuration of a user', () => {
  it.each([
    ['never', 'plan', 'plan'],
    ['destructive', 'writes', 'writes'],
    ['destructive', 'plan', 'destructive'],
    ['writes', 'plan', 'writes'],
    ['plan', 'writes', 'plan'],
    ['plan', 'always', 'always'],
    ['plan', 'plan', 'plan'],
    ['always', 'plan', 'always'],
  ])('over %s, %s gives %s, and the policies for servers and tools stay', async (file, wanted, used) => {
    const written = { execution: { approval: file } };
    const effects = { 'files.delete': { approval: 'always' } };
    const { settings, mcpServers } = await load(
      JSON.stringify({ ...written, effects, mcpServers: { calc: { shipped: 'calc', approval: 'never' } } }),
    );
    const user = { execution: { approval: wanted }, effects: { 'files.delete': { approval: 'never' } } };
    const laid = layUserConfig(user, { written, settings, mcpServers });
    expect(laid.settings).toMatchObject({
      approval: used,
      approvals: { calc: 'never', 'files.delete': 'always' },
    });
    expect(laid.refused).toEqual(used === wanted ? ['effects'] : ['effects', 'execution.approval']);
  });
});
