import type { Catalogue } from '../../translate.ts';
import { config } from './config.ts';
import { help } from './help.ts';
import { library } from './library.ts';
import { mcp } from './mcp.ts';
import { model } from './model.ts';
import { plans } from './plans.ts';
import { server } from './server.ts';
import { setup } from './setup.ts';
import { template } from './template.ts';
import { usage } from './usage.ts';

/** Everything that Dandori writes in English and a user may read, in Japanese. */
export const messages: Catalogue = {
  ...help,
  ...usage,
  ...library,
  ...config,
  ...plans,
  ...server,
  ...mcp,
  ...model,
  ...setup,
  ...template,
};
