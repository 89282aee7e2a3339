export type { Telemetry } from './telemetry.ts';
