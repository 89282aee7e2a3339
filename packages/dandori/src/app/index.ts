export { type CheckedServer, checkModel, checkServers, listModels, logIn, logOut } from './check.ts';
export { type Copied, copyBetween } from './copy.ts';
export {
  type Examined,
  type Finding,
  type Leaving,
  misfit,
  type OpenOptions,
  openRuntime,
  type RunSummary,
  type Runtime,
  type TornTail,
} from './dandori.ts';
export { migrateStore } from './open.ts';
export type { ConversationClient, RunClient } from './run-client.ts';
