import type { Config } from '../config/config.ts';
import { createUserSettings, type UserConfigWarning, type UserSettings } from '../config/user-settings.ts';
import type { Clock } from '../ports/clock.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly onWarning: ((warning: UserConfigWarning) => void) | undefined;
}

/** Those of the file, or those that an API tells of each user. */
export function openUserSettings(config: Config, { clock, onWarning }: Surroundings): UserSettings {
  const { userConfigApi: api, settings, mcpServers, secrets } = config;
  if (api === undefined) return async () => settings;
  const base = { written: api.over, settings, mcpServers };
  return createUserSettings({ api, ...base, secrets, now: () => clock.now(), onWarning });
}
