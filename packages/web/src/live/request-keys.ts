import { stringifyJson } from '#dandori/model/json.ts';

/** Idempotency keys: the server runs a request with the same key once, however often it is sent. */
export interface RequestKeys {
  /** The same key for the same request until `done` is called. */
  keyFor(request: unknown): string;
  done(): void;
}

export function createRequestKeys(): RequestKeys {
  let held: { readonly request: string; readonly key: string } | undefined;
  return {
    keyFor(request) {
      const text = stringifyJson(request);
      if (held?.request !== text) held = { request: text, key: newKey() };
      return held.key;
    },
    done() {
      held = undefined;
    },
  };
}

/** `crypto.randomUUID` does not exist on a page served over plain HTTP from another machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
