import { describe, expect, it } from 'vitest';
import { createLiveUpdates, type LiveUpdates } from '../../src/server/live-updates.ts';
import type { Bus } from '../../src/store/index.ts';

/** Two servers on one store: the first one drives. `isLost` says which messages between them get lost. */
function twoServers(isLost: (message: string) => boolean = () => false) {
  const listeners: ((message: string) => void)[] = [];
  const passed: string[] = [];
  const bus: Bus = {
    tell(message) {
      passed.push(message);
      if (!isLost(message)) for (const heard of listeners) heard(message);
    },
    hear: () => () => {},
  };
  const told: [string, object][] = [];
  const server = (options: { readonly bus: Bus; readonly isClient?: boolean }): LiveUpdates =>
    createLiveUpdates({
      runs: { tell: (_, name, value) => options.isClient && told.push([name, value]) },
      conversations: { tell: () => {} },
      secrets: ['hunter2'],
      conversationOf: () => undefined,
      bus: options.bus,
    });
  const driving = server({ bus });
  const other = server({
    isClient: true,
    bus: {
      tell: () => {},
      hear(heard) {
        listeners.push(heard);
        return () => {};
      },
    },
  });
  const write = (text: string) => driving.live({ type: 'answer_text', run: 'r1', text });
  return { driving, other, told, passed, write };
}

describe('live text of a run that another process drives', () => {
  it('reaches the clients here, and a client that joins later gets all of it', () => {
    const { other, told, write, driving } = twoServers();
    driving.driving('r1', 'driving');
    write('段取り');
    write(' is ready');
    expect(other.elsewhere('r1')).toBe('driving');
    expect(other.soFar('r1')).toEqual([['answer_so_far', { run: 'r1', text: '段取り is ready' }]]);
    expect(told.map(([name]) => name)).toEqual(['driving', 'answer_text', 'answer_text']);
    driving.driving('r1', 'idle');
    expect(other.soFar('r1')).toEqual([]);
    expect(other.elsewhere('r1')).toBe('idle');
  });

  it('is not shown with a hole if a message got lost', () => {
    const { other, told, write } = twoServers((message) => message.includes('two'));
    for (const text of ['one ', 'two ', 'three']) write(text);
    expect(told).toMatchObject([['answer_text', { text: 'one ' }]]);
    expect(other.soFar('r1')).toEqual([]);
  });

  it('leaves the process without secrets, even if one comes in two pieces', () => {
    const { passed, write } = twoServers();
    write('the word is hunt');
    write('er2 today');
    expect(passed.join()).not.toContain('hunt');
  });
});
