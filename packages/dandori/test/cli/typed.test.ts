import { afterEach, describe, expect, it, vi } from 'vitest';
import { asTyped, configIn } from '../../src/cli/typed.ts';

afterEach(() => vi.unstubAllEnvs());

function startedBy(script: string | undefined, name?: string): void {
  vi.stubEnv('npm_lifecycle_event', script);
  vi.stubEnv('npm_package_name', name);
}

describe('a command that is printed can be typed as it stands', () => {
  it.each([
    [undefined, undefined, 'dandori resume r1'],
    ['start', 'dandori-workspace', 'npm start -- resume r1'],
    ['npx', undefined, 'npx dandori resume r1'],
    ['start', 'my-shop', 'npx dandori resume r1'],
  ])('started by %s of %s', (script, name, expected) => {
    startedBy(script, name);
    expect(asTyped('dandori resume r1')).toBe(expected);
  });

  it('with the configuration that was given, where the command takes one', () => {
    startedBy(undefined);
    expect(asTyped('`dandori answer r1 q1 <answer>`', 'shop.yaml')).toBe(
      '`dandori answer --config shop.yaml r1 q1 <answer>`',
    );
    expect(asTyped('dandori runs', 'my shop.yaml')).toBe("dandori runs --config 'my shop.yaml'");
    expect(asTyped('dandori init', 'shop.yaml')).toBe('dandori init');
  });

  it('and what is no command stays as it is', () => {
    startedBy('start', 'dandori-workspace');
    expect(asTyped('dandori.yaml, the dandori runtime')).toBe('dandori.yaml, the dandori runtime');
  });

  it('also where the command line was not carried out', () => {
    expect(configIn(['show', 'x', '--config', 'a.yaml'])).toBe('a.yaml');
    expect(configIn(['show', '--config=a.yaml', 'x'])).toBe('a.yaml');
    expect(configIn(['show', 'x'])).toBeUndefined();
  });
});
