import { afterEach, describe, expect, it, vi } from 'vitest';
import { asTyped, configIn } from '../../src/cli/command-line.ts';
import { createProgram } from '../../src/cli/program.ts';
import { approvalPolicy, mode } from '../../src/model/settings.ts';

afterEach(() => vi.unstubAllEnvs());

function startedBy(script: string | undefined, name?: string): void {
  vi.stubEnv('npm_lifecycle_event', script);
  vi.stubEnv('npm_package_name', name);
}

describe('a printed command can be typed as it is', () => {
  it.each([
    [undefined, undefined, 'dandori resume r1'],
    ['start', 'dandori-workspace', 'npm start -- resume r1'],
    ['npx', undefined, 'npx dandori resume r1'],
    ['start', 'my-shop', 'npx dandori resume r1'],
  ])('started by %s of %s', (script, name, expected) => {
    startedBy(script, name);
    expect(asTyped('dandori resume r1')).toBe(expected);
  });

  it('with the configuration that was given, if the command takes one', () => {
    startedBy(undefined);
    expect(asTyped('`dandori answer r1 q1 <answer>`', 'shop.yaml')).toBe(
      '`dandori answer --config shop.yaml r1 q1 <answer>`',
    );
    expect(asTyped('dandori runs', 'my shop.yaml')).toBe("dandori runs --config 'my shop.yaml'");
    expect(asTyped('dandori init', 'shop.yaml')).toBe('dandori init');
  });

  it('at the server that was given, if the command can use one', () => {
    startedBy(undefined);
    vi.stubEnv('DANDORI_SERVER', 'http://127.0.0.1:4310');
    expect(asTyped('dandori show r1, dandori chat, dandori serve')).toBe(
      'dandori show --server http://127.0.0.1:4310 r1, dandori chat --server http://127.0.0.1:4310, dandori serve',
    );
  });

  it('whichever of the commands it is', () => {
    startedBy('npx');
    for (const command of createProgram().commands)
      expect(asTyped(`dandori ${command.name()}`)).toBe(`npx dandori ${command.name()}`);
  });

  it('and a word that is no command stays as it is', () => {
    startedBy('start', 'dandori-workspace');
    expect(asTyped('dandori.yaml, the dandori runtime')).toBe('dandori.yaml, the dandori runtime');
  });

  it('also if the command line was refused', () => {
    expect(configIn(['show', 'x', '--config', 'a.yaml'])).toBe('a.yaml');
    expect(configIn(['show', '--config=a.yaml', 'x'])).toBe('a.yaml');
    expect(configIn(['show', 'x'])).toBeUndefined();
  });
});

it('an option takes every value that the configuration takes', () => {
  const run = createProgram().commands.find((command) => command.name() === 'run');
  const choices = (name: string) => run?.options.find(({ long }) => long === name)?.argChoices;
  expect(choices('--mode')).toEqual(mode.options);
  expect(choices('--approval')).toEqual(approvalPolicy.options);
});
