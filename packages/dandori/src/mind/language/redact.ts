import type { LanguageMindOptions } from './options.ts';

/** The variables that the SDK takes a key from where none is given. */
const KEY_VARIABLES = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];

const MASK = '[secret]';

/** Takes keys out of a text that goes to the journal: servers like to quote what they were sent. */
export function redact(text: string, { apiKey }: LanguageMindOptions): string {
  const secrets = [apiKey, ...KEY_VARIABLES.map((name) => process.env[name])];
  let clean = text;
  for (const secret of secrets) {
    // A stand-in such as `x` is no secret, and masking it would garble the text.
    if (secret !== undefined && secret.length >= 4) clean = clean.replaceAll(secret, MASK);
  }
  return clean
    .replaceAll(/\bBearer\s+[^\s"',]+/gi, `Bearer ${MASK}`)
    .replaceAll(/\bsk-[\w*-]{6,}/g, MASK)
    .replaceAll(/(\/\/)[^/\s@]+@/g, `$1${MASK}@`);
}
