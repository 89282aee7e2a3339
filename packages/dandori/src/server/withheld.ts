import { redact } from '../core/redact.ts';

/** Text that comes in pieces, without secrets, also where one lies across two pieces. */
export interface Withheld {
  /** What can be shown now. What may be the beginning of a secret is kept back until more has come. */
  pass(text: string): string;
}

export function withholdSecrets(given: readonly string[]): Withheld {
  const secrets = given.filter((secret) => secret !== '');
  let kept = '';
  return {
    pass(text) {
      const whole = kept + text;
      const end = endOfShown(whole, secrets);
      kept = whole.slice(end);
      return redact(whole.slice(0, end), secrets);
    },
  };
}

/** A secret may be the beginning of a longer one, and one that lies across the end is not cut in two. */
function endOfShown(text: string, secrets: readonly string[]): number {
  let end = text.length - Math.max(0, ...secrets.map((secret) => beginningAtEnd(text, secret)));
  while (end > 0) {
    const across = secrets
      .map((secret) => ({ at: text.lastIndexOf(secret, end - 1), length: secret.length }))
      .filter(({ at, length }) => at >= 0 && at + length > end);
    if (across.length === 0) break;
    end = Math.min(...across.map(({ at }) => at));
  }
  return end;
}

/** How much of the end of a text is the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
