export { digestOf } from './digest.ts';
export type { GivenTool } from './given-tools.ts';
export type { InspectedTool } from './mcp/inspect.ts';
export { nextOffer } from './offer.ts';
export { addOwnTools, isOwnCall, type OtherRuns, type ResultReader } from './own.ts';
export { createSchemaCheck } from './schema/check.ts';
export type { Service } from './service.ts';
export {
  type Call,
  type CallOutcome,
  type InputRequest,
  type MadeInside,
  previewAnswer,
  type Toolbox,
} from './toolbox.ts';
