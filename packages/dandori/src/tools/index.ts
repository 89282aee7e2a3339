export type { InspectedTool } from './mcp/inspect.ts';
export type { Memory } from './memory-service.ts';
export { nextOffer } from './offer.ts';
export {
  addOwnTools,
  type GoalRequest,
  isOwnCall,
  limitTools,
  type OtherRuns,
  type ResultReader,
  type SubGoals,
} from './own.ts';
export type { GivenTools } from './program-tools.ts';
export type { Service } from './service.ts';
export {
  type Call,
  type CallOutcome,
  failed,
  type InputRequest,
  LEFT,
  type MadeInside,
  previewAnswer,
  type Toolbox,
} from './toolbox.ts';
export { hashOfTools, hasOtherTools } from './tools-hash.ts';
