export { type ModelServer, type ModelServerOptions, startModelServer } from './model-server.ts';
export type {
  ActionsReply,
  AnswerSettings,
  ContentReply,
  Expectation,
  HangReply,
  ModelReply,
  ModelScript,
  RawReply,
  RefusalReply,
  ReplyFunction,
  ReplySettings,
  ReplyToolCall,
  ReplyUsage,
  ScriptEntry,
  StatusReply,
  ToolCallsReply,
} from './reply.ts';
export type { ModelRequestBody, RecordedRequest } from './request.ts';
export { ModelScriptError } from './script.ts';
