export { type GivenAttachment, LARGEST_ATTACHMENTS } from '../commands/index.ts';
export { type Copied, copyBetween } from './copy.ts';
export {
  type Examined,
  type Finding,
  type OpenOptions,
  openRuntime,
  type RunSummary,
  type Runtime,
  type StopSignals,
  schemaProblem,
  type TornTail,
} from './dandori.ts';
export { type DeploymentWarning, deploymentWarnings, fingerprint } from './deployment.ts';
export { migrateStore } from './open.ts';
export type { ConversationClient, RunClient } from './run-client.ts';
export {
  type CheckedServer,
  checkModel,
  checkServers,
  listModels,
  logIn,
  logOut,
} from './try-connections.ts';
