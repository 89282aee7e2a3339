export { createReplayServer, type ReplayHost, startReplayHost } from './mcp.ts';
export {
  createReplay,
  type RecordedCall,
  type RecordedTool,
  type Recording,
  type Replay,
  type ReplayAnswer,
  type ReplayedCall,
} from './replay.ts';
