import { LastMadeFor } from '../last-made.ts';
import { isThinker, type LanguageMindOptions } from './options.ts';

/** Agents need the same decision for the same state more than they need variety. */
const DEFAULT_TEMPERATURE = 0.1;

/**
 * How the model samples its output, how long it thinks, and what its server tells about it. Providers have defaults for
 * what is missing.
 */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly reasoningEffort?: NonNullable<LanguageMindOptions['reasoningEffort']>;
  readonly includeUsage?: true;
}

type SamplingOption = keyof Sampling;

/** How servers name each option in the error of a request that they refuse because of it. */
const NAMES: Readonly<Record<SamplingOption, RegExp>> = {
  temperature: /\btemperature\b/i,
  topP: /\btop_?p\b/i,
  // A model that knows the option but not this effort is an error: the user can choose another effort.
  reasoningEffort:
    /(?:un(?:supported|known|recogni[sz]ed|expected)|invalid|extra)[^.]{0,40}\b(?:parameters?|arguments?|keys?|fields?|properties|inputs?)\b[^.]{0,40}\breasoning[_.]?effort\b/i,
  // Mistral tells the tokens without being asked, and refuses the question.
  includeUsage: /\bstream_options\b/i,
};
const OPTIONS: readonly SamplingOption[] = ['temperature', 'topP', 'reasoningEffort', 'includeUsage'];

const NONE: ReadonlySet<SamplingOption> = new Set();

/** What each model has refused since this process started. */
const refused = new Map<string, ReadonlySet<SamplingOption>>();

const chosen = new LastMadeFor<LanguageMindOptions, Sampling>();

/** The sampling options for this model, without those that it has refused. */
export function samplingFor(options: LanguageMindOptions): Sampling {
  const dropped = refused.size === 0 ? NONE : (refused.get(keyOf(options)) ?? NONE);
  return chosen.from(options, [dropped], () => without(wantedBy(options), dropped));
}

function wantedBy(options: LanguageMindOptions): Sampling {
  const { provider, name, topP, reasoningEffort } = options;
  // Some models refuse both together, so the default gives way to a `top_p` that the user chose.
  const hasDefault = topP === undefined && !(provider === 'openai' && isThinker(name));
  const temperature = options.temperature ?? (hasDefault ? DEFAULT_TEMPERATURE : undefined);
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    includeUsage: true,
  };
}

/** The options that the server names in its refusal. Empty if the error is about something else. */
export function refusedIn(error: unknown, sent: Sampling): ReadonlySet<SamplingOption> {
  if (!(error instanceof Error) || !('statusCode' in error)) return NONE;
  if (error.statusCode !== 400 && error.statusCode !== 422) return NONE;
  const body = 'responseBody' in error ? String(error.responseBody ?? '') : '';
  return new Set(
    OPTIONS.filter((name) => sent[name] !== undefined && NAMES[name].test(`${error.message} ${body}`)),
  );
}

export function rememberRefusal(options: LanguageMindOptions, names: ReadonlySet<SamplingOption>): void {
  if (names.size > 0)
    refused.set(keyOf(options), new Set([...(refused.get(keyOf(options)) ?? []), ...names]));
}

export function without(sampling: Sampling, names: ReadonlySet<SamplingOption>): Sampling {
  return Object.fromEntries(
    OPTIONS.flatMap((name) =>
      sampling[name] === undefined || names.has(name) ? [] : [[name, sampling[name]]],
    ),
  );
}

function keyOf({ provider, baseUrl = '', name }: LanguageMindOptions): string {
  return `${provider} ${baseUrl} ${name}`;
}
