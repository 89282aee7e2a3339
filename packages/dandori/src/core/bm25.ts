/** Where a term stands and how often, in one document and in all of them. */
export interface Occurrence {
  /** In this document; a telling place may count for more than one. */
  readonly frequency: number;
  /** In how many documents it stands. */
  readonly spread: number;
  readonly documents: number;
  /** Of this document, as a share of the mean length. */
  readonly length: number;
}

/** How much a term says for a document: a rare one more, one that is repeated a little more, a short document more. */
export function bm25({ frequency, spread, documents, length }: Occurrence): number {
  const rarity = Math.log(1 + (documents - spread + 0.5) / (spread + 0.5));
  return (rarity * frequency * 2.2) / (frequency + 1.2 * (0.4 + 0.6 * length));
}
