import type * as z from 'zod';
import { hasNoUser, httpUrl, section, text, texts, toggle } from '../documents/field.ts';
import { decodedUri } from '../model/text.ts';
import { type Environment, readVariable } from './environment.ts';

export const telemetryShape = section({
  endpoint: httpUrl('http://localhost:4318').refine(hasNoUser, {
    error: 'must hold no user and password: put them in telemetry.headers',
  }),
  headers: texts('Authorization: "Bearer ${TOKEN}"').default({}),
  content: toggle().default(false),
  service_name: text('dandori').optional(),
});

/** Where traces are sent to. */
export interface TelemetryConfig {
  /** The complete address, with its path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether content is sent too: what people, models and tools said. */
  readonly content: boolean;
  readonly serviceName: string;
}

/**
 * Reads the file, otherwise the standard OpenTelemetry variables. The headers come from the same place as the
 * endpoint: a key for one collector must not be sent to another.
 */
export function resolveTelemetry(
  file: z.infer<typeof telemetryShape> | undefined,
  env: Environment,
): TelemetryConfig | undefined {
  if (readVariable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const serviceName = file?.service_name ?? set(env, 'OTEL_SERVICE_NAME') ?? 'dandori';
  if (file !== undefined)
    return { url: addressOf(file.endpoint), headers: file.headers, content: file.content, serviceName };
  const whole = set(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const base = set(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const url = whole ?? (base && addressOf(base));
  // The variables may be meant for another program. If the address cannot be used, Dandori sends no traces
  // and does not fail.
  if (url === undefined || !httpUrl('').safeParse(url).success || !hasNoUser(url)) return undefined;
  const given = set(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? set(env, 'OTEL_EXPORTER_OTLP_HEADERS') ?? '';
  return { url, headers: headersIn(given), content: false, serviceName };
}

/** An empty variable counts as missing, as in OpenTelemetry. */
function set(env: Environment, name: string): string | undefined {
  const value = readVariable(env, name)?.trim();
  return value === '' ? undefined : value;
}

function addressOf(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  if (!/\/v1\/traces\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** Parses `name=value,name=value` with percent-encoded values. Skips invalid headers. */
function headersIn(given: string): Record<string, string> {
  const headers = given.split(',').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=');
    const value = decodedUri(rest.join('=').trim());
    const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(name.trim()) && /^[\t\x20-\x7e]*$/.test(value);
    return isHeader && rest.length > 0 ? [[name.trim(), value] as const] : [];
  });
  return Object.fromEntries(headers);
}
