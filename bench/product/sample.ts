import { CONTENDERS, type Contender, type ContenderName } from './contenders.ts';
import type { Addresses } from './services.ts';
import { type Figures, WORKLOADS } from './workloads.ts';

/** What a process of this file is told to measure. */
export interface Sample {
  readonly contender: ContenderName;
  readonly workload: keyof typeof WORKLOADS;
  readonly size: number;
  readonly addresses: Addresses;
}

export type Measured = { readonly figures: Figures } | { readonly error: string };

process.on('disconnect', () => process.exit(1));
const { contender, workload, size, addresses } = JSON.parse(process.argv[2] ?? '') as Sample;
const open = async (): Promise<Contender> => CONTENDERS[contender](addresses);
const measured = await WORKLOADS[workload]({ open, size, model: addresses.model }).then(
  (figures): Measured => ({ figures }),
  (error): Measured => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);
process.send?.(measured);
