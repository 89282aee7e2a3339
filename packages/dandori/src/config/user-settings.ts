import { redact } from '../model/redact.ts';
import type { Settings } from '../model/settings.ts';
import { clip } from '../model/text.ts';
import type { UserConfigApi } from './config.ts';
import { askUserConfig, layUserConfig, type UserConfigBase, type UserConfigProblem } from './user-config.ts';

/** The run starts anyway, with the settings of the file or with the valid part of the user's settings. */
export interface UserConfigWarning {
  readonly userId: string;
  readonly problem: UserConfigProblem;
  /** A technical detail such as `HTTP 404` or the names of keys. Secrets are removed. */
  readonly detail: string;
  readonly message: string;
}

interface UserSettingsOptions extends UserConfigBase {
  readonly api: UserConfigApi;
  readonly secrets: readonly string[];
  readonly now: () => number;
  readonly onWarning?: (warning: UserConfigWarning) => void;
}

/** The cache size. The settings of further users are requested again. */
const MOST_KEPT = 1_000;
/** Longer details are cut: the text comes from an external API. */
const LONGEST_DETAIL = 500;

/** Returns the settings for the runs of a user. Never rejects. */
export type UserSettings = (userId: string) => Promise<Settings>;

interface Kept {
  readonly settings: Settings;
  readonly until: number;
}

export function createUserSettings(options: UserSettingsOptions): UserSettings {
  const { api, now } = options;
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Settings>>();

  async function ask(userId: string): Promise<Settings> {
    const asked = await askUserConfig(api, userId);
    if (!asked.ok) {
      warn(options, { userId, problem: asked.problem, detail: asked.detail });
      return options.settings;
    }
    const { settings, refused, problems } = lay(asked.value, options);
    if (refused.length > 0) warn(options, { userId, problem: 'refused', detail: refused.join(', ') });
    if (problems.length > 0) {
      warn(options, { userId, problem: 'invalid', detail: problems.join('; ') });
      return settings;
    }
    keep(userId, settings);
    return settings;
  }

  function keep(userId: string, settings: Settings): void {
    if (api.cache === 0) return;
    kept.delete(userId);
    kept.set(userId, { settings, until: now() + api.cache });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  return (userId) => {
    const known = kept.get(userId);
    if (known !== undefined && now() < known.until) return Promise.resolve(known.settings);
    // Ten runs that start at once share one request.
    const underWay = asking.get(userId) ?? ask(userId).finally(() => asking.delete(userId));
    asking.set(userId, underWay);
    return underWay;
  };
}

/** A value that is nested too deeply for the stack counts as invalid. */
function lay(value: unknown, base: UserConfigBase): ReturnType<typeof layUserConfig> {
  try {
    return layUserConfig(value, base);
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : String(error);
    return { settings: base.settings, refused: [], problems: [reason] };
  }
}

function warn(
  { secrets, onWarning }: UserSettingsOptions,
  { userId, problem, detail }: Omit<UserConfigWarning, 'message'>,
): void {
  const short = clip(redact(detail, secrets), LONGEST_DETAIL);
  const what = MESSAGES[problem];
  onWarning?.({
    userId,
    problem,
    detail: short,
    message: `The configuration of user ${userId} ${what}: ${short}`,
  });
}

const MESSAGES: Readonly<Record<UserConfigProblem, string>> = {
  unreachable: 'could not be fetched; the run starts without it',
  timeout: 'did not arrive in time; the run starts without it',
  status: 'was not given; the run starts without it',
  redirect: 'is a redirect, which is not followed; the run starts without it',
  too_large: 'is too large; the run starts without it',
  not_json: 'cannot be read; the run starts without it',
  refused: 'sets what only the file can set, and that is ignored',
  invalid: 'is wrong; the run starts without it',
};
