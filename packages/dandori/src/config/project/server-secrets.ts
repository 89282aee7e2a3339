import { asObject, isObject } from '../../model/json.ts';
import { isSecretParameter, secretsIn } from '../../secrets/index.ts';

/** A server with `${NAME}` where it had secrets, and their values. */
export interface Separated {
  readonly server: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Takes the secrets out of a server's settings, so that they are not written to a file that is shared. `taken` says
 * whether a variable already has another value.
 */
export function separateSecrets(
  name: string,
  server: Readonly<Record<string, unknown>>,
  taken: (variable: string, value: string) => boolean,
): Separated {
  const variables: Record<string, string> = {};
  const prefix = upper(name);
  const move = (wanted: string, value: string): string => {
    const isFree = (variable: string) => (variables[variable] ?? value) === value && !taken(variable, value);
    const names = [
      wanted,
      `${prefix}_${wanted}`,
      ...[2, 3, 4, 5].map((number) => `${prefix}_${wanted}_${number}`),
    ];
    const variable = names.find(isFree) ?? `${prefix}_${wanted}_6`;
    variables[variable] = value;
    return `\${${variable}}`;
  };
  const { env, headers, args, url } = server;
  const isFixed = (text: string) => !text.includes('${');
  const entries = (group: unknown) =>
    Object.entries(asObject(group)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
  const changed = {
    ...(isObject(env) && {
      env: {
        ...env,
        ...Object.fromEntries(
          entries(env)
            .filter(([key, value]) => isFixed(value) && secretsIn({ env: { [key]: value } }).length > 0)
            .map(([key, value]) => [key, move(upper(key), value)]),
        ),
      },
    }),
    ...(isObject(headers) && {
      headers: {
        ...headers,
        ...Object.fromEntries(
          entries(headers)
            .filter(([key, value]) => isFixed(value) && secretsIn({ headers: { [key]: value } }).length > 0)
            .map(([key, value]) => {
              const [, scheme, token] = /^(Bearer|Token|Basic) +(\S+)$/i.exec(value) ?? [];
              if (scheme === undefined || token === undefined)
                return [key, move(`${prefix}_${upper(key)}`, value)];
              return [key, `${scheme} ${move(`${prefix}_TOKEN`, token)}`];
            }),
        ),
      },
    }),
    ...(Array.isArray(args) && { args: args.map((arg, index) => withoutSecret(arg, args[index - 1])) }),
    ...(typeof url === 'string' && { url: withoutUrlSecrets(url) }),
  };
  return { server: { ...server, ...changed }, variables };

  /** `--api-key=…`, or the word after `--api-key`, or an address with a password. */
  function withoutSecret(arg: unknown, before: unknown): unknown {
    if (typeof arg !== 'string' || !isFixed(arg)) return arg;
    const [, flag = '', value = ''] = /^--?([\w-]+)=(.+)$/s.exec(arg) ?? [];
    if (value !== '' && isSecretParameter(flag))
      return arg.slice(0, -value.length) + move(`${prefix}_${upper(flag)}`, value);
    const [, option = ''] = /^--?([\w-]+)$/.exec(String(before)) ?? [];
    if (option !== '' && isSecretParameter(option) && !arg.startsWith('-'))
      return move(`${prefix}_${upper(option)}`, arg);
    return secretsIn({ args: [arg] }).length > 0 ? move(`${prefix}_SECRET`, arg) : arg;
  }

  function withoutUrlSecrets(text: string): string {
    if (!isFixed(text)) return text;
    const secrets = [...new Set(secretsIn({ url: text }))].filter((secret) => text.includes(secret));
    return secrets.reduce(
      (left, secret) => left.replaceAll(secret, () => move(`${prefix}_KEY`, secret)),
      text,
    );
  }
}

/** `x-api-key` is `X_API_KEY`. */
function upper(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .replaceAll('-', '_')
    .toUpperCase();
}
