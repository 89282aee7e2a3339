import { expect, it } from 'vitest';
import { redact } from '../../src/model/redact.ts';
import { withForms } from '../../src/secrets/declared-secrets.ts';

const SECRETS = [`p@ss/w0rd+&<q>'"!*~ é(1)`, 'abcdefgh', 'Zm9v/YmFy+QmF6==', 'k-4711_abcdefghij'];
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const escaped = (text: string, signs: RegExp, change = (code: string) => code) =>
  text.replaceAll(signs, (sign) => `\\u${change(sign.charCodeAt(0).toString(16).padStart(4, '0'))}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const strict = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

it.each<[string, (secret: string) => string]>([
  ['in JSON', json],
  ['in JSON in JSON', (secret) => json(json(secret))],
  ['in JSON of Python', (secret) => escaped(json(secret), /[\u0080-\uffff]/g)],
  ['in JSON of PHP', (secret) => escaped(json(secret).replaceAll('/', '\\/'), /[\u0080-\uffff]/g)],
  ['in JSON of Go', (secret) => escaped(json(secret), /[&<>]/g)],
  [
    'in JSON of .NET',
    (secret) =>
      escaped(json(secret).replaceAll('\\"', '"'), /["&'+<>`\u0080-\uffff]/g, (code) => code.toUpperCase()),
  ],
  ['in an address', encodeURIComponent],
  [
    'in an address, with small letters',
    (secret) => strict(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  ],
  ['in an address of Python', (secret) => strict(secret).replaceAll('%2F', '/')],
  ['in a form', (secret) => new URLSearchParams({ x: secret }).toString().slice(2)],
  ['in a form of Python', (secret) => strict(secret).replaceAll('%20', '+')],
  ['in base64', base64],
  ['in base64 for an address', (secret) => Buffer.from(secret).toString('base64url')],
])('a secret is recognised %s', (_, write) => {
  for (const secret of SECRETS)
    expect(redact(`value ${write(secret)} end`, withForms([secret]))).toMatch(/^value \[secret\]=* end$/);
});

it.each(['u:', 'ann:', 'anna:'])('a secret is recognised in base64 after %s', (user) => {
  // A letter beside the secret also holds bits of what stands there.
  for (const secret of SECRETS)
    expect(redact(base64(`${user}${secret}\n`), withForms([secret]))).toMatch(
      /^[A-Za-z\d+/]{2,7}\[secret\][A-Za-z\d+/]{1,3}=*$/,
    );
});
