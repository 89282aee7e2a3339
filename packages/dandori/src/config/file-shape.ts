import * as z from 'zod';
import {
  anyText,
  choice,
  dollars,
  duration,
  hasNoUser,
  httpUrl,
  list,
  numberBetween,
  price,
  section,
  text,
  texts,
  toggle,
  wholeNumber,
} from '../documents/field.ts';
import {
  approvalPolicy,
  DEFAULT_CONTEXT,
  decompositionLevel,
  endorsed,
  mode,
  PROVIDERS,
  strategy,
  TRANSIENT,
  trustPolicy,
  trustRule,
} from '../model/settings.ts';
import { policy, TOOL, toolName } from './policies.ts';
import { SHIPPED_SERVERS, serverShape } from './servers.ts';
import { telemetryShape } from './telemetry-shape.ts';

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export const DIALECTS = ['json', 'tools', 'auto'] as const;

const VARIABLE_NAME = 'must be the name of an environment variable, such as OPENAI_API_KEY';

const modelKeys = {
  provider: choice(PROVIDERS),
  name: text('gpt-5-mini'),
  base_url: httpUrl('http://localhost:8080/v1').optional(),
  api_key_env: z
    .string({ error: VARIABLE_NAME })
    .regex(/^[A-Za-z_]\w*$/, { error: VARIABLE_NAME })
    .optional(),
  temperature: numberBetween(0, 2, 0.2).optional(),
  top_p: numberBetween(0, 1, 0.9).optional(),
  reasoning_effort: choice(REASONING_EFFORTS).optional(),
  max_output_tokens: wholeNumber({ example: 4000 }).optional(),
  timeout: duration({ example: '2m' }).prefault('2m'),
  dialect: choice(DIALECTS).default('json'),
  supports_structured_outputs: toggle().optional(),
  price: section({ input: price(0.25), output: price(2), cached_input: price(0.025).optional() }).optional(),
};
const model = section({ ...modelKeys, fallback: section(modelKeys).optional() });

const execution = section({
  mode: choice(mode.options).optional(),
  adaptive_mode: toggle().optional(),
  max_steps: wholeNumber({ example: 10 }).default(10),
  max_model_calls: wholeNumber({ example: 30 }).default(30),
  max_time: duration({ example: '30m' }).prefault('30m'),
  max_cost: dollars({ example: 0.5 }).optional(),
  max_tokens: wholeNumber({ example: 200_000 }).optional(),
  concurrency: wholeNumber({ example: 16 }).optional(),
  stream_dispatch: toggle().default(true),
  sub_goals: toggle().default(false),
  task_timeout: duration({ example: '60s' }).prefault('60s'),
  retry: section({
    attempts: wholeNumber({ example: 3 }).default(3),
    backoff: duration({ example: '500ms', zero: true }).prefault('500ms'),
    transient: list(text('try again'), '[try again, "503"]').default([...TRANSIENT]),
  }).prefault({}),
  approval: choice(approvalPolicy.options).default('destructive'),
  order: list(
    list(toolName, '[a.first, a.second]').min(2, {
      error: 'must name two tools or more, such as [a.first, a.second]',
    }),
    '- [sqlite.list_tables, sqlite.execute_safe_query]',
  ).optional(),
});

const planning = section({
  enabled: toggle().default(true),
  strategy: choice(strategy.options).default('chain_of_thought'),
  max_subtasks: wholeNumber({ example: 100 }).default(100),
  decomposition_level: choice(decompositionLevel.options).default('moderate'),
  reflection: section({
    enabled: toggle().default(true),
    trigger_on_error: toggle().default(true),
    trigger_interval: wholeNumber({ example: 3 }).default(3),
  }).prefault({}),
  revision: section({ max_revisions: wholeNumber({ least: 0, example: 3 }).default(3) }).prefault({}),
  history: section({
    storage_type: choice(['jsonl', 'memory']).default('jsonl'),
    directory: text('.dandori/runs').optional(),
  }).prefault({}),
});

const store = section({
  type: choice(['postgres']),
  url: text('${DATABASE_URL}').refine(
    (url) => url.startsWith('${') || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)),
    { error: 'must be the address of a PostgreSQL database, such as ${DATABASE_URL}' },
  ),
  schema: text('dandori').default('dandori'),
  lease: duration({ example: '15s' }).prefault('15s'),
  dispatcher: choice(['built-in', 'pg-boss', 'restate']).default('built-in'),
  restate: section({
    ingress: text('http://localhost:8080').default('http://localhost:8080'),
    admin: text('http://localhost:9070').default('http://localhost:9070'),
    listen: text('127.0.0.1:9080').default('127.0.0.1:9080'),
    address: text('http://workers:9080').optional(),
    key: text('publickeyv1_…').optional(),
  }).prefault({}),
});

const questions = section({
  expire_after: duration({ example: '1d' }).optional(),
  when_expired: choice(['decline', 'cancel']).default('decline'),
  hold: duration({ example: '5m', zero: true }).optional(),
  answerers: list(text('u-42'), '[u-42, u-43]')
    .min(1, { error: 'must name one user or more, such as [u-42]; without it anybody may answer' })
    .optional(),
});

const trust = section({
  policy: choice(trustPolicy.options).optional(),
  tools: z
    .record(
      z.string().regex(TOOL, { error: 'cannot be aimed: write the tool as server.tool' }),
      section({ aim: list(text('to'), '[to, cc]') }),
      {
        error: (issue) =>
          issue.code === 'invalid_type'
            ? 'must be a group of tools, such as { mail.send: { aim: [to, cc] } }'
            : undefined,
      },
    )
    .default({}),
  rules: list(
    section({
      from: text('files.*').optional(),
      to: text('mail.send.body'),
      do: choice(trustRule.shape.do.options),
    }),
    '[{ from: files.*, to: mail.send.body, do: deny }]',
  ).default([]),
  endorse: list(choice(endorsed.options), '[boolean, enum]').default([]),
});

const context = section({
  max_tokens: wholeNumber({ least: 1_000, example: DEFAULT_CONTEXT.tokens }).default(DEFAULT_CONTEXT.tokens),
  max_result: wholeNumber({ least: 200, example: DEFAULT_CONTEXT.result }).default(DEFAULT_CONTEXT.result),
  max_tools: wholeNumber({ example: DEFAULT_CONTEXT.tools }).default(DEFAULT_CONTEXT.tools),
});

const memory = section({
  enabled: toggle().default(false),
  folder: text('.dandori/memory').prefault('.dandori/memory'),
  max_tokens: wholeNumber({ least: 100, example: 2_000 }).default(2_000),
});

const DESCRIPTIONS = 'must be external, or the hash that `dandori add NAME` writes';

const server = section({
  shipped: choice(SHIPPED_SERVERS).optional(),
  type: choice(['stdio', 'http', 'streamable-http', 'sse']).optional(),
  command: text('npx').optional(),
  args: list(anyText('"-y"'), '["-y", "some-mcp-server"]').optional(),
  env: texts('TOKEN: "${TOKEN}"').optional(),
  cwd: text('./data').optional(),
  url: httpUrl('https://example.com/mcp').optional(),
  headers: texts('Authorization: "Bearer ${TOKEN}"').optional(),
  trusted: toggle().optional(),
  descriptions: z
    .string({ error: DESCRIPTIONS })
    .regex(/^(?:external|sha256-[0-9a-f]{32})$/, { error: DESCRIPTIONS })
    .optional(),
  shared: toggle().optional(),
  timeout: duration({ example: '30s' }).optional(),
  concurrency: wholeNumber({ example: 4 }).optional(),
  approval: choice(approvalPolicy.options).optional(),
  disabled: toggle().default(false),
});

const SERVER_NAME =
  'cannot be the name of a server: it begins with a letter and holds letters, digits, _ and -';
const OPERATION =
  'cannot be set here: write the tool as server.tool, or set effect and trusted where your program defines the tool';

/** The schema of `dandori.yaml`. Every default is here, except for those that depend on something else. */
export const configShape = section({
  model: model.optional(),
  execution: execution.prefault({}),
  planning: planning.prefault({}),
  store: store.optional(),
  context: context.prefault({}),
  memory: memory.prefault({}),
  trust: trust.prefault({}),
  questions: questions.optional(),
  instructions: z
    .union([z.string(), z.strictObject({ file: z.string().min(1) })], {
      error: 'must be text, or a file such as { file: instructions.md }',
    })
    .optional(),
  mcpServers: z
    .record(z.string().regex(/^[A-Za-z][\w-]*$/, { error: SERVER_NAME }), server, {
      error: (issue) =>
        issue.code === 'invalid_type'
          ? 'must be a group of servers by name, such as { calc: { shipped: calc } }'
          : undefined,
    })
    .optional(),
  effects: z
    .record(z.string().regex(TOOL, { error: OPERATION }), policy, {
      error: (issue) =>
        issue.code === 'invalid_type'
          ? 'must be a group of tools, such as { files.delete: destructive }'
          : undefined,
    })
    .default({}),
  services: list(text('./services/inventory.ts'), '[./services/inventory.ts]').default([]),
  user_id: text('u-42').optional(),
  user_config_api: section({
    url: httpUrl('https://example.com/users/{user_id}/dandori')
      .refine((url) => !/^[^/]*\/\/[^/?#]*\{user_id\}/.test(url), {
        error: 'must have {user_id} behind the host: a user must not choose who is asked',
      })
      .refine(hasNoUser, { error: 'must hold no user and password: put them in user_config_api.headers' }),
    headers: texts('Authorization: "Bearer ${TOKEN}"').optional(),
    timeout: duration({ example: '2s' }).prefault('2s'),
    cache: duration({ example: '5m', zero: true }).prefault('5m'),
  }).optional(),
  language: choice(['en', 'ja']).optional(),
  server: serverShape.prefault({}),
  telemetry: telemetryShape.optional(),
});
export type ConfigFile = z.infer<typeof configShape>;
type Written = z.input<typeof configShape>;
/** A configuration as `dandori.yaml` writes it, with the short names of some keys. */
export interface ConfigInput extends Omit<Written, 'model' | 'memory'> {
  /** A section, or whether there is a memory. */
  readonly memory?: Written['memory'] | boolean;
  /** A section, or `provider/name`. */
  readonly model?: Written['model'] | string;
  /** The same as `mcpServers`. */
  readonly servers?: Written['mcpServers'];
  /** The same as `execution.mode`. */
  readonly mode?: NonNullable<Written['execution']>['mode'];
  /** The same as `execution.approval`. */
  readonly approval?: NonNullable<Written['execution']>['approval'];
  /** The same keys as in `execution`. */
  readonly limits?: Pick<
    NonNullable<Written['execution']>,
    'max_steps' | 'max_model_calls' | 'max_time' | 'max_cost' | 'max_tokens'
  >;
}
export type ModelSection = NonNullable<ConfigFile['model']>;
export type ServerSection = NonNullable<ConfigFile['mcpServers']>[string];

const KEY_IN_FILE =
  'put the key in an environment variable and its name in model.api_key_env; a key in a file leaks';
const APPROVAL =
  'set "approval" instead: under execution for all calls, here for a server, under effects for a tool';

/** Keys that users bring from other programs or from other parts of this file. */
export const FOREIGN_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'model.api_key': KEY_IN_FILE,
    'model.apiKey': KEY_IN_FILE,
    'model.fallback.api_key': KEY_IN_FILE,
    'model.fallback.apiKey': KEY_IN_FILE,
    'model.model': 'did you mean "name"?',
    'model.url': 'did you mean "base_url"?',
    'execution.timeout': 'did you mean "task_timeout" (one call) or "max_time" (the whole run)?',
    'execution.answerers': 'did you mean "questions: { answerers: [u-42] }"?',
    'questions.timeout': 'did you mean "expire_after"?',
    'questions.on_expire': 'did you mean "when_expired"?',
    'execution.max_retries': 'did you mean "retry: { attempts: 3 }"?',
    tools: 'did you mean "mcpServers"?',
    mcp: 'did you mean "mcpServers"?',
    system: 'did you mean "instructions"?',
    systemPrompt: 'did you mean "instructions"?',
    prompt: 'did you mean "instructions"?',
    apiKey: KEY_IN_FILE,
    api_key: KEY_IN_FILE,
    checkpointer: 'did you mean "store"?',
    storage: 'did you mean "store"?',
    maxTurns: 'did you mean "limits: { max_steps: 10 }"?',
    'mcpServers.<name>.transport': 'did you mean "type"? It may be left out: command or url tell it',
    'mcpServers.<name>.cmd': 'did you mean "command"?',
    'mcpServers.<name>.httpUrl': 'did you mean "url"?',
    'mcpServers.<name>.serverUrl': 'did you mean "url"?',
    'mcpServers.<name>.enabled': 'did you mean "disabled"?',
    'mcpServers.<name>.autoApprove': APPROVAL,
    'mcpServers.<name>.alwaysAllow': APPROVAL,
    '*.<<': 'merge keys are not supported; use an alias (*name) for the whole value',
  }),
);
