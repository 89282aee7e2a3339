export { type Meaning, meaningOf, stem } from './dictionary.ts';
export { nextOffer } from './offer.ts';
export { addOwnTools, isOwnCall, type OtherRuns, type ResultReader } from './own.ts';
export { createSchemaCheck } from './schema/check.ts';
export { bm25 } from './search.ts';
export type { Service } from './service.ts';
export type { Call, CallOutcome, InputRequest, MadeInside, Toolbox } from './toolbox.ts';
