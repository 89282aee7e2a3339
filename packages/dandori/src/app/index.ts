export {
  type Dandori,
  type Examined,
  type Finding,
  type Leaving,
  misfit,
  type OpenOptions,
  openDandori,
  type RunSummary,
  systemClock,
  type TornTail,
} from './dandori.ts';
export type { ConversationClient, RunClient } from './run-client.ts';
