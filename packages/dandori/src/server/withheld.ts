import { redact } from '../core/redact.ts';

/** Text that comes in pieces, without secrets, also where one lies across two pieces. */
export interface Withheld {
  /** What can be shown now. What may be the beginning of a secret is kept back until more has come. */
  pass(text: string): string;
}

export function withholdSecrets(secrets: readonly string[]): Withheld {
  let kept = '';
  return {
    pass(text) {
      const whole = redact(kept + text, secrets);
      const length = Math.max(0, ...secrets.map((secret) => beginningAtEnd(whole, secret)));
      kept = whole.slice(whole.length - length);
      return whole.slice(0, whole.length - length);
    },
  };
}

/** How much of the end of a text is the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
