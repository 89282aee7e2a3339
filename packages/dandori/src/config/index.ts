export type { Config } from './config.ts';
export { loadConfig } from './load.ts';
export type { TokenConfig } from './servers.ts';
export { DEMO_SERVERS } from './servers.ts';
export { inMode } from './settings.ts';
export { CONFIG_TEMPLATE } from './template.ts';
export { refuseLooser } from './user-config.ts';
export { createUserSettings, type UserConfigWarning, type UserSettings } from './user-settings.ts';
export { version } from './version.ts';
