export { nextOffer } from './offer.ts';
export { addOwnTools, isOwnCall, type OtherRuns, type ResultReader } from './own.ts';
export { createSchemaCheck } from './schema/check.ts';
export type { Service } from './service.ts';
export type { Call, CallOutcome, InputRequest, MadeInside, Toolbox } from './toolbox.ts';
