import type { Offer } from '../../model/decision.ts';
import type { RunState } from './state.ts';

/** What the mind has been told of so far. */
export interface Offered {
  /** What stands in the instructions, which are the same for the whole run. */
  readonly first: Offer;
  readonly names: Set<string>;
  /** Undefined while every tool is described. */
  servers: Map<string, number> | undefined;
}

export function applyOffer(state: RunState, offer: Offer | undefined): void {
  if (offer === undefined) return;
  const servers = offer.servers && new Map(Object.entries(offer.servers));
  if (state.offered === undefined) {
    state.offered = { first: offer, names: new Set(offer.tools), servers };
    return;
  }
  const { offered } = state;
  for (const name of offer.tools) offered.names.add(name);
  for (const name of offer.gone ?? []) offered.names.delete(name);
  if (servers !== undefined) offered.servers = new Map([...(offered.servers ?? []), ...servers]);
}
