export { type ReplayHost, startReplayHost } from './http.ts';
export { createReplayServer } from './mcp.ts';
export { type PathStep, parsePath } from './path.ts';
export {
  isRefRecord,
  type RefRecord,
  type RunRecord,
  readRecord,
  readRecords,
  type TaskRecord,
  type ToolRecord,
  templateParts,
} from './record.ts';
export { type RecordedCall, type RecordedTool, type Recording, toRecording } from './recording.ts';
export { createReplay, type Replay, type ReplayAnswer, type ReplayedCall } from './replay.ts';
export { createReplayToolbox, type ReplayToolboxOptions } from './toolbox.ts';
