export { createReplayServer, type ReplayHost, startReplayHost } from './mcp.ts';
export {
  isRefRecord,
  type PathStep,
  parsePath,
  type RecordedCall,
  type RecordedTool,
  type Recording,
  type RefRecord,
  type RunRecord,
  readRecord,
  readRecords,
  type TaskRecord,
  type ToolRecord,
  templateParts,
  toRecording,
} from './recording.ts';
export { createReplay, type Replay, type ReplayAnswer, type ReplayedCall } from './replay.ts';
export { createReplayToolbox, type ReplayToolboxOptions } from './toolbox.ts';
