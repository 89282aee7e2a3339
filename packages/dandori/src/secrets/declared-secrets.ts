import * as z from 'zod';
import { factSchema } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import { writeText } from '../model/task.ts';
import { decodedUri } from '../model/text.ts';

/**
 * What a configuration declares as secret, by the names of variables and headers. All other values are
 * ordinary, even if they look unusual: an e-mail address or a host under another name is no secret.
 */

/** Shorter values cannot be told from ordinary text. */
const SHORTEST = 6;
/** For values that the user marked as secret. */
const SHORTEST_MARKED = 4;

const SECRET_WORD =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD|CREDENTIAL)S?$|^(?:KEY|TOKEN|SECRET|PASSWORD)$/;
/** English words that only end like a secret's name. */
const OTHER_WORD = /^(?:MON|DON|TUR|HOC|JOC|WHIS|LAC|MIC)KEYS?$|^(?:BY|COM|TRES|SUR|OVER|UNDER)PASS(?:ES)?$/;
/** These words count only at the end: `AUTH_EMAIL` is no secret, `NPM_AUTH` is one. */
const LAST_WORD = /^(?:AUTH|COOKIE|BEARER|JWT|PAT)$/;
const HEADER_WORD = /^(?:AUTH|AUTHENTICATION|AUTHORIZATION|COOKIES?|SESSION|SIGNATURE|BEARER|JWT|CSRF|XSRF)$/;
/**
 * The name describes something about a key and not the key itself: `TOKEN_LIMIT`, `KEY_FILE`, `SECRET_NAME`.
 */
const ABOUT_IT =
  /^(?:LIMITS?|MAX|MIN|COUNT|SIZE|LENGTH|TTL|EXPIRY|EXPIRES|EXPIRATION|TIMEOUT|TYPE|URL|URI|ENDPOINT|HOST|PORT|PATH|FILE|FILENAME|DIR|DIRECTORY|NAMES?|HEADER|PREFIX|SUFFIX|POLICY|FORMAT|ALGORITHM|ALGO|ISSUER|AUDIENCE|SCOPES?|LAYOUT|NAMESPACE|ENV|REGION|VERSION|ENABLED|DISABLED|REQUIRED|PROVIDER|STORE|STRATEGY|MODE|ROTATION|INTERVAL|BUDGET|WINDOW|RATE|COLUMN|FIELD)$/;
/** Formats that only keys have. If the name mentions a key, a value in such a format is a secret. */
const KEY_FORM =
  /^(?:sk-|sk_|rk_|pk_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|eyJ[\w-]+\.|-----BEGIN )/;
/**
 * Common values that are too generic to hide, such as `password`. Hiding them would break a tool such as
 * `reset_password`.
 */
const TRIVIAL =
  /^(?:true|false|none|null|undefined|enabled?|disabled?|default|production|development|staging|testing|localhost|required|optional|public|private|basic|bearer|digest|oauth2?|strict|always|string|header|cookies?|session|passwords?|passwd|secrets?|tokens?|api[_-]?keys?|credentials?)$/i;

function isSecretName(name: string, value = ''): boolean {
  if (/^(?:OLD)?PWD$/.test(name)) return false;
  const words = wordsOf(name);
  const index = words.findLastIndex((word) => SECRET_WORD.test(word) && !OTHER_WORD.test(word));
  const last = words.at(-1) ?? '';
  if (index === -1) return LAST_WORD.test(last);
  if (KEY_FORM.test(value)) return true;
  const isPublic = words[index - 1] === 'PUBLIC' && words[index] === 'KEY';
  const isNumber =
    /^[\d._,]+$/.test(value) && (/S$/.test(words[index] ?? '') || /^(?:MAX|MIN|NUM)$/.test(words[0] ?? ''));
  return !(isPublic || isNumber || (index < words.length - 1 && ABOUT_IT.test(last)));
}

function isSecretHeader(name: string, value = ''): boolean {
  return isSecretName(name, value) || wordsOf(name).some((word) => HEADER_WORD.test(word));
}

export function isSecretParameter(name: string): boolean {
  return /key|token|secret|pass(?!age|enger|ing|ive)|pwd|auth|credential|cookie|session|bearer|signature|^sig$|private/i.test(
    name,
  );
}

/** `apiKey`, `API_KEY`, `x-api-key` and `apikey2` give the same words. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '');
}

interface Declaring {
  readonly env?: unknown;
  readonly headers?: unknown;
  readonly url?: unknown;
  readonly endpoint?: unknown;
  readonly args?: unknown;
}

/** The secrets in the settings of a server, an API or a collector of traces. */
export function secretsIn(given: Declaring): string[] {
  return [
    ...textsIn(given.env).flatMap(([name, value]) => secretsOf(name, value)),
    ...textsIn(given.headers).flatMap(([name, value]) =>
      isSecretHeader(name, value) ? headerSecrets(value) : urlSecrets(value),
    ),
    ...textsIn(given.args).flatMap(([, value]) => urlSecrets(value)),
    ...[given.url, given.endpoint].flatMap((url) => (typeof url === 'string' ? urlSecrets(url) : [])),
  ];
}

/** The secret part of a variable: all of it if its name says so, or the password in an address. */
export function secretsOf(name: string, value: string): string[] {
  return isSecretName(name, value) && isTelling(value) ? [value] : urlSecrets(value);
}

/** For `${secret:NAME}` and keys of models, which are secret whatever they look like. */
export function markedSecret(value: string): string[] {
  return value.length >= SHORTEST_MARKED ? [value] : [];
}

function isTelling(value: string): boolean {
  return value.length >= SHORTEST && !TRIVIAL.test(value);
}

/** Also the parts of a header, because an error may quote only the token or only one cookie. */
function headerSecrets(value: string): string[] {
  const [, scheme = '', token = ''] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  const basic = /^basic$/i.test(scheme) ? fromBase64(token).split(':').slice(1).join(':') : '';
  const cookies = value.includes('=')
    ? value.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1))
    : [];
  return [value, token, basic, ...cookies].filter(isTelling);
}

/** The password in an address or a connection string, and the parameters with secret names. */
export function urlSecrets(text: string): string[] {
  if (!URL.canParse(text)) {
    const inString = text.matchAll(/\b(?:password|pwd)\s*=\s*("[^"]*"|'[^']*'|[^;\s]+)/gi);
    return [...inString].map(([, value = '']) => value.replaceAll(/^["']|["']$/g, '')).filter(isTelling);
  }
  const { protocol, username, password, searchParams } = new URL(text);
  const isLoneToken = password === '' && username.length >= 16 && /^https?:$/.test(protocol);
  const basic = password === '' ? [] : [toBase64(`${decodedUri(username)}:${decodedUri(password)}`)];
  return [
    password,
    decodedUri(password),
    ...basic,
    ...(isLoneToken ? [username] : []),
    ...[...searchParams].filter(([name]) => isSecretParameter(name)).map(([, value]) => value),
  ].filter(isTelling);
}

/** Adds the forms in which programs quote a secret: in JSON, in an address, in base64, in a plan. */
export function withForms(secrets: Iterable<string>): string[] {
  const all = new Set<string>();
  for (const secret of secrets) {
    for (const form of [secret, ...jsonForms(secret), ...urlForms(secret), writeText(secret)]) all.add(form);
    if (secret.length >= 8) for (const form of base64Forms(secret)) all.add(form);
  }
  return [...all].sort((a, b) => b.length - a.length);
}

/** As JavaScript, Python, PHP, Go and .NET write it, and as a text in a text. */
function jsonForms(secret: string): string[] {
  const quoted = stringifyJson(secret).slice(1, -1);
  const inAscii = quoted.replaceAll(/[\u007f-\uffff]/g, (sign) => `\\u${hex(sign, 4)}`);
  const forms = [
    quoted,
    inAscii,
    quoted.replaceAll('/', '\\/'),
    inAscii.replaceAll('/', '\\/'),
    quoted.replaceAll(/[&<>]/g, (sign) => `\\u${hex(sign, 4)}`),
    quoted
      .replaceAll('\\"', '"')
      .replaceAll(/["&'+<>`\u007f-\uffff]/g, (sign) => `\\u${hex(sign, 4).toUpperCase()}`),
  ];
  return forms.flatMap((form) => [form, stringifyJson(form).slice(1, -1)]);
}

function hex(sign: string, digits: number): string {
  return sign.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** As a part of an address and as a field of a form. Some programs leave slashes, and some write `%2f`. */
function urlForms(secret: string): string[] {
  const part = encoded(secret);
  const strict = part.replaceAll(/[!'()*]/g, (sign) => `%${hex(sign, 2).toUpperCase()}`);
  const field = new URLSearchParams([['', secret]]).toString().slice(1);
  const forms = [part, field, strict, strict.replaceAll('%2F', '/'), strict.replaceAll('%20', '+')];
  return forms.flatMap((form) => [form, form.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase())]);
}

/**
 * Alone, and after one or two other bytes, such as in `user:password`. The characters that also depend on what stands
 * before and after the secret are left out.
 */
function base64Forms(secret: string): string[] {
  const base64 = toBase64(secret).replace(/=+$/, '');
  const whole = base64.slice(0, Math.floor(base64.length / 4) * 4);
  const length = new TextEncoder().encode(secret).length;
  const inside = [0, 1, 2].map((before) =>
    toBase64('.'.repeat(before) + secret).slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + length) * 8) / 6),
    ),
  );
  const url = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');
  return [base64, whole, ...inside].flatMap((form) => [form, url(form)]);
}

/**
 * Leaves out secrets that are part of a configured server's name or of a word of the journal. Removing
 * `postgres` from `postgres.query`, or `succeeded` from `task_succeeded`, would break every run. Tool names
 * do not count: a server could name its tools after common passwords.
 */
export function withoutNames(secrets: readonly string[], names: Iterable<string>): readonly string[] {
  const all = [
    ...names,
    ...(secrets.some((secret) => /^[a-z_-]{4,24}$/i.test(secret)) ? journalWords() : []),
  ];
  const left = secrets.filter((secret) => !all.some((name) => name.includes(secret)));
  return left.length === secrets.length ? secrets : left;
}

/** Event types, field names, and fixed words in the events. */
function journalWords(): string[] {
  const words = ['decided', 'succeeded', 'input_wanted', 'requests', 'responses', 'actions', 'thinking'];
  const collect = (schema: unknown) => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, const: only, enum: some } = schema as Record<string, unknown>;
    if (typeof properties === 'object') words.push(...Object.keys(properties ?? {}));
    if (typeof only === 'string') words.push(only);
    if (Array.isArray(some)) words.push(...some.map(String));
    Object.values(schema).forEach(collect);
  };
  collect(z.toJSONSchema(factSchema, { unrepresentable: 'any' }));
  return words;
}

function textsIn(group: unknown): [string, string][] {
  if (typeof group !== 'object' || group === null) return [];
  return Object.entries(group).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}

/** A lone surrogate cannot be encoded. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
