import { join } from 'node:path';
import { tasksAsJournaled } from '../commands/index.ts';
import {
  type Config,
  createUserSettings,
  type UserConfigWarning,
  type UserSettings,
  version,
} from '../config/index.ts';
import type { ConversationParts } from '../conversation/index.ts';
import { type Parts, systemClock } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import { DandoriError } from '../model/error.ts';
import { withOwnTools } from '../model/own-tools.ts';
import { STEP_TOOL, type Task } from '../model/task.ts';
import { copiedSecrets } from '../plan/check-arguments.ts';
import { type Compiled, compile } from '../plan/compile.ts';
import { worstCase } from '../plan/estimate.ts';
import { checkOpened, sealingOf } from '../secrets/index.ts';
import {
  createFileApprovals,
  createFileStore,
  createLocalDispatcher,
  createMemoryApprovals,
  createMemoryStore,
  createStoreKey,
  foldersOf,
  STORE_PARTS,
} from '../store/implementations.ts';
import type { Journal, Store, TornTail } from '../store/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Memory, Service, Toolbox } from '../tools/index.ts';

/** Compiles a plan that belongs to no run, with the tools and limits of this process. */
export async function compileWith(
  given: readonly Task[],
  { settings }: Config,
  parts: Parts,
): Promise<Compiled> {
  const { toolbox, durations } = parts;
  const sealing = sealingOf(parts);
  const check = checkOpened(parts.check, sealing);
  const sealed = sealing.seal(tasksAsJournaled(given));
  await durations?.load();
  const { limits, task, order } = settings;
  const { concurrency, servers } = settings;
  const budget = { ms: limits.time, cost: limits.cost, ...task, concurrency, servers };
  const copied = sealed.flatMap(copiedSecrets);
  if (copied.length > 0) return { ok: false, diagnostics: copied };
  const compiled = compile(sealed, {
    tools: new Map([...withOwnTools(toolbox.tools()), [STEP_TOOL.name, STEP_TOOL]]),
    missing: new Map(toolbox.missing().map(({ server, reason }) => [server, reason])),
    check,
    mode: 'planned',
    order,
    maxTasks: Number.POSITIVE_INFINITY,
    done: new Map(),
    budget,
    expectedMs: durations?.expected,
  });
  if (!compiled.ok) return compiled;
  return { ...compiled, warnings: [...compiled.warnings, ...worstCase(compiled.estimate(), budget)] };
}

/**
 * A missing model is not an error. The built-in planner then does what it can, and says what it cannot do.
 */
export async function createMind({ model, instructions }: Config): Promise<Mind> {
  if (model === undefined) return BUILT_IN;
  const { createLanguageMind, withFallback } = await import('../mind/language/mind.ts');
  const { fallback, ...first } = model;
  const mind = createLanguageMind({ ...first, instructions });
  return fallback === undefined
    ? mind
    : withFallback(mind, createLanguageMind({ ...fallback, instructions, section: 'model.fallback' }));
}

let planner: Mind | undefined;

/** The planner is loaded when it is first asked, so that commands that only read a run start sooner. */
const BUILT_IN: Mind = {
  name: 'built-in',
  think: async (thought) => {
    planner ??= (await import('../mind/built-in/planner.ts')).createBuiltInMind();
    return planner.think(thought);
  },
};

/** The configured mind, its fallback, or another model of the same provider. */
export function createMinds(config: Config, first: Mind): ConversationParts['mindFor'] {
  const minds = new Map([[first.name, first]]);
  return async (given = first.name) => {
    const name = withProvider(given, config);
    const known = minds.get(name);
    if (known !== undefined) return known;
    const { model, instructions } = config;
    const found = [model, model?.fallback].find(
      (one) => one !== undefined && `${one.provider}/${one.name}` === name,
    );
    const other = name.startsWith(`${model?.provider}/`) ? name.slice(name.indexOf('/') + 1) : '';
    const wanted =
      found ??
      (model === undefined || other === '' ? undefined : { ...model, name: other, price: undefined });
    if (wanted === undefined) {
      throw new DandoriError('usage', `There is no model "${name}" here.`, {
        fix: `Choose ${[...minds.keys()].join(', ')}${model === undefined ? '' : `, or another of ${model.provider}/…`}.`,
      });
    }
    const mind = (await import('../mind/language/mind.ts')).createLanguageMind({ ...wanted, instructions });
    minds.set(name, mind);
    return mind;
  };
}

/** Completes a short name such as `gpt-5-mini`: a configured model, or another model of the same provider. */
function withProvider(name: string, { model }: Config): string {
  const own = [model, model?.fallback].find((one) => one?.name === name) ?? model;
  const isWhole = own === undefined || (name !== own.name && name.includes('/'));
  return isWhole ? name : `${own.provider}/${name}`;
}

interface StoreOptions {
  readonly store?: Partial<Store>;
  readonly clock?: Clock;
  readonly onTorn?: (tail: TornTail) => void;
}

/** A store with every part. */
export type OpenStore = Store & Required<Pick<Store, 'approvals' | 'dispatcher'>>;

/** The store that the caller passes, or the configured one. */
export async function openStore(
  { planning, directory, store: configured }: Config,
  options: StoreOptions,
): Promise<OpenStore> {
  const { clock = systemClock } = options;
  const given = options.store === undefined ? undefined : wholeStore(options.store);
  if (given === undefined && configured !== undefined) {
    const { openPostgresStore } = await import('../store/postgres/store.ts');
    return openPostgresStore(configured);
  }
  if (given === undefined && planning.history.storageType === 'memory') {
    const store = createMemoryStore();
    const dispatcher = createLocalDispatcher({ ...store, clock });
    return { ...store, approvals: createMemoryApprovals(), dispatcher };
  }
  const store = given ?? createFileStore(directory, { onTorn: options.onTorn });
  // The caller's own journal may outlive the process, so the key and the approvals must be stored too.
  const folder = foldersOf(store).journal ?? directory;
  return {
    ...store,
    storeKey: store.storeKey ?? createStoreKey(folder),
    approvals: store.approvals ?? createFileApprovals(join(folder, 'approvals')),
    dispatcher: store.dispatcher ?? createLocalDispatcher({ ...store, clock }),
  };
}

/** Brings the tables of the configured database up to date. */
export async function migrateStore({
  store,
}: Pick<Config, 'store'>): Promise<{ readonly from: number; readonly to: number }> {
  if (store === undefined)
    throw new DandoriError('config-invalid', 'Runs are stored in files, which need no migration.', {
      fix: 'Set `store` in dandori.yaml to use a database.',
    });
  const { migratePostgres } = await import('../store/postgres/store.ts');
  return migratePostgres(store);
}

/** All four parts that keep something are required. */
function wholeStore(store: Partial<Store>): Store {
  const { journal, conversations, blobs, keys } = store;
  if (journal && conversations && blobs && keys) return { ...store, journal, conversations, blobs, keys };
  const missing = STORE_PARTS.filter((part) => !store[part]);
  const has = STORE_PARTS.filter((part) => !missing.includes(part));
  throw new DandoriError(
    'store-incomplete',
    `The store has ${has.join(', ') || 'no parts'}, but no ${missing.join(', ')}. Part of what it stores would be lost.`,
    {
      fix: 'Give all four as `store`, such as { ...createFileStore(folder), journal }, or none. What need not be kept is in createMemoryStore().',
    },
  );
}

/** Undefined if telemetry is not configured. */
export async function openTelemetry(
  { telemetry }: Config,
  {
    journal,
    onUntraced,
  }: {
    readonly journal: Pick<Journal, 'read'>;
    readonly onUntraced?: ((detail: string) => void) | undefined;
  },
): Promise<Telemetry | undefined> {
  if (telemetry === undefined) return undefined;
  const { createTelemetry } = await import('../telemetry/telemetry.ts');
  return createTelemetry({
    ...telemetry,
    version: version(),
    journal,
    ...(onUntraced !== undefined && { onTrouble: onUntraced }),
  });
}

interface ToolboxOptions {
  readonly services?: readonly Service[];
  readonly toolbox?: Toolbox;
  readonly tools?: boolean;
  readonly memory?: Memory | undefined;
}

/** Undefined if it is not configured. */
export async function openMemory({ memory, userId }: Config): Promise<Memory | undefined> {
  if (memory === undefined) return undefined;
  const { createMemory } = await import('../tools/memory-service.ts');
  return createMemory({ ...memory, userId });
}

export async function openToolbox(
  config: Config,
  options: ToolboxOptions,
  schemaCheck: Parts['check'],
): Promise<Toolbox> {
  if (options.tools === false) return EMPTY_TOOLBOX;
  if (options.toolbox !== undefined) return options.toolbox;
  const { loadServices } = await import('../tools/service.ts');
  const { createToolbox } = await import('../tools/create-toolbox.ts');
  const { mcpServers, effects, secrets } = config;
  const { memory } = options;
  const own = memory === undefined ? [] : [memory.service];
  const services = [...(await loadServices(config.services)), ...(options.services ?? []), ...own];
  return createToolbox({ mcpServers, services, effects, schemaCheck, secrets });
}

const EMPTY_TOOLBOX: Toolbox = {
  tools: () => new Map(),
  missing: () => [],
  call: async ({ operation }) => ({
    kind: 'failed',
    failure: { kind: 'unavailable', message: `${operation} is not connected.` },
  }),
  close: async () => {},
};

interface UserSettingsOptions {
  readonly clock: Clock;
  readonly onWarning: ((warning: UserConfigWarning) => void) | undefined;
}

/** The users of the configuration file, or those of the configured API. */
export function openUserSettings(config: Config, { clock, onWarning }: UserSettingsOptions): UserSettings {
  const { userConfigApi: api, settings, mcpServers, secrets } = config;
  if (api === undefined) return async () => settings;
  const base = { written: api.over, settings, mcpServers };
  return createUserSettings({ api, ...base, secrets, now: () => clock.now(), onWarning });
}
