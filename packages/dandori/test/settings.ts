import type { Settings } from '../src/model/settings.ts';

export type SettingsChanges = Partial<Omit<Settings, 'limits' | 'task'>> & {
  limits?: Partial<Settings['limits']>;
  task?: Partial<Settings['task']>;
};

/** The settings of a run: no approval, and limits that no test reaches by chance. A test names those that it is about. */
export function settingsWith(changes: SettingsChanges = {}): Settings {
  return {
    mode: 'auto',
    approval: 'never',
    concurrency: 16,
    repairs: 2,
    order: [],
    ...changes,
    limits: { steps: 10, calls: 30, tasks: 100, time: 600_000, ...changes.limits },
    task: { timeoutMs: 60_000, attempts: 3, backoff: 100, ...changes.task },
  };
}
