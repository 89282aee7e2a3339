/** The file that `dandori init` writes: every key with its default, so that users need not look them up. */
export const CONFIG_TEMPLATE = `# Dandori: every key with its default. A key that you remove keeps its default.
# Durations: a number of seconds, or 500ms, 30s, 10m, 2h, 1d. Relative paths start at this file.

# --- The model that decides. Without one, the built-in planner handles simple goals.
# model:
#   provider: openai               # OPENAI_API_KEY
#   name: gpt-5-mini
# model:
#   provider: anthropic            # ANTHROPIC_API_KEY
#   name: claude-sonnet-4-5
# model:
#   provider: google               # GOOGLE_GENERATIVE_AI_API_KEY
#   name: gemini-2.5-flash
# model:
#   provider: ollama               # no key; base_url: http://localhost:11434/v1
#   name: qwen3
# model:
#   provider: openai-compatible    # any server with an OpenAI-compatible API
#   name: my-model
#   base_url: http://localhost:8080/v1
#   api_key_env: MY_API_KEY        # the variable that holds the key, if one is needed
#   temperature: 0.1               # left out for a model that refuses it
#   top_p: 0.9
#   reasoning_effort: low          # none | minimal | low | medium | high | xhigh
#   max_output_tokens: 4000
#   timeout: 2m                    # one call
#   dialect: json                  # json | tools (native tool calls) | auto (json, then tools if that fails)
#   supports_structured_outputs: true
#   fallback: { provider: ollama, name: qwen3 }   # used if the first model fails; the same keys
#   price: { input: 0.25, output: 2, cached_input: 0.025 }   # US$ per million tokens

# --- How a goal is run.
execution:
  mode: auto                       # auto | direct | adaptive | planned | hierarchical
  # adaptive_mode: true            # older key: true is adaptive, false is planned
  max_steps: 10                    # decisions that add tasks
  max_model_calls: 30
  max_time: 30m                    # the whole run, without waiting for answers
  # max_cost: 0.50                 # US dollars
  # max_tokens: 200000             # of all model calls together
  # concurrency: 64                # parallel tool calls; by default 64, at most 16 of them change something
  stream_dispatch: true            # prefetch: reads start while the model still writes
  sub_goals: false                 # true: the model may run parts of the goal as sub-goals
  task_timeout: 60s                # one tool call
  retry: { attempts: 3, backoff: 500ms }   # only if a second call is safe
  # retry: { transient: [try again, "503"] }   # errors that are retried, of read and idempotent tools
  approval: destructive            # never | destructive | writes | plan | step (plan and each step) | always
  order:                           # each tool may be called only after the one before it has succeeded
    - [sqlite.list_tables, sqlite.get_table_schema, sqlite.execute_safe_query]

# --- Orders in data: you are asked about calls that external content may have ordered.
trust:
  policy: standard                 # strict | standard | observe (asks nothing, logs it) | off
  # tools: { mail.send: { aim: [to, cc] } }   # arguments that decide what a call affects, if their names do not say so
  # rules: [{ from: files.*, to: mail.send.body, do: deny }]   # allow | ask | deny
  # endorse: [boolean, enum]       # what extract may return so that it can decide what a call affects

# --- Planning, reflection and revisions.
planning:
  enabled: true                    # false: no plans, one decision after the other
  strategy: chain_of_thought       # chain_of_thought | plan_and_solve | least_to_most
  max_subtasks: 100
  decomposition_level: moderate    # coarse | moderate | fine
  reflection:
    enabled: true
    trigger_on_error: true
    trigger_interval: 3            # also after this many tasks
  revision: { max_revisions: 3 }
  history:
    storage_type: jsonl            # jsonl | memory
    # directory: .dandori/runs     # where runs are stored; if set, the planning history is written there too

# --- Where runs are stored, if several servers share them. Without it: files in planning.history.directory.
# store:
#   type: postgres
#   url: \${DATABASE_URL}
#   schema: dandori
#   lease: 15s                     # another process takes over the runs of a process that is silent for this long
#   dispatcher: built-in           # built-in | pg-boss | restate
#   restate: { ingress: "http://localhost:8080", admin: "http://localhost:9070", listen: "127.0.0.1:9080" }

# --- What one prompt may contain.
context:
  max_tokens: 60000                # above this, a summary replaces the oldest turns
  max_result: 8192                 # characters of one result; of a larger one, the beginning and the shape
  max_tools: 40                    # tools that are described; if there are more, those that fit the goal

# --- Questions. Without expire_after they stay open. Time when nothing runs counts too.
# questions:
#   expire_after: 1d
#   when_expired: decline          # decline | cancel (the run); a default answer wins
#   hold: 5m                       # how long a call stays open while its server asks the user
#   answerers: [u-42, u-43]        # the users who may answer; default: anyone

# --- Added to every prompt.
# instructions: Answer in one sentence.
# instructions: { file: instructions.md }

# --- Notes that outlive runs, as Markdown files. The model reads them at the start and may write some.
memory:
  enabled: false                   # memory: on is short for it
  folder: .dandori/memory
  max_tokens: 2000                 # how much of the notes a run gets at its start

# --- Where the tools come from. Paste servers here as for any MCP host; JSON is YAML too.
# \${NAME} and \${NAME:-default} are filled in from the environment.
mcpServers:
  calc: { shipped: calc }
  clock: { shipped: clock }
  sqlite: { shipped: sqlite }      # args: [--database, shop.db] for a database of your own
  places: { shipped: places }
  kitchen: { shipped: kitchen }
  # files:
  #   command: npx
  #   args: [-y, "@modelcontextprotocol/server-filesystem", .]
  #   env: { LOG_LEVEL: "\${LOG_LEVEL:-info}" }
  #   cwd: .
  #   timeout: 30s                 # to start and list its tools
  #   trusted: false               # true: its results contain no external content
  #   descriptions: external       # its descriptions of tools count as external content; dandori add writes a hash
  #   shared: false                # true: its data is the same on every machine
  #   concurrency: 4               # parallel calls to this server
  #   approval: writes             # for its tools, instead of execution.approval
  #   disabled: false
  # remote:
  #   url: https://example.com/mcp
  #   headers: { Authorization: "Bearer \${REMOTE_TOKEN}" }

# --- Effects of tools, if their server does not say them: read | idempotent | write | destructive
effects: {}
  # files.write_file: { effect: destructive, resource: "path:{path}" }   # other paths do not wait for it
  # files.move_file: { approval: always }   # for this tool, instead of its server's
  # inventory.*: { approval: writes }       # for all tools of a service
  # mail.send:                     # a lost call is checked with this read before you are asked
  #   { probe: mail.find_sent, args: { to: "{to}" }, settled_when: "length(messages) > \`0\`" }

# --- Your own tools: TypeScript or JavaScript modules.
services: []
  # - ./services/inventory.ts

# --- Settings per user, with the same keys: only execution, planning, instructions, language and trust.
# user_config_api:
#   url: https://example.com/users/{user_id}/dandori   # without {user_id}, ?user_id= is added
#   headers: { Authorization: "Bearer \${USER_CONFIG_TOKEN}" }
#   timeout: 2s                    # after that the run starts without them
#   cache: 5m                      # 0 asks for every run

# --- \`dandori serve\`.
server:
  host: 127.0.0.1                  # any other address needs access tokens
  port: 4310
  # hosts: [dandori.example.com]   # allowed host names besides localhost and IP addresses
  max_runs: 16                     # runs driven at the same time; others wait
  workers: 0                       # processes that drive the runs; 0: the server itself
  grace: 10s                       # time for running calls when the server stops
  rate_limit: 100                  # requests per second of one user or address
  max_streams: 100                 # runs and conversations that one user may follow at the same time
  # tokens:                        # \`dandori token\` creates one; without any, the server listens on this machine only
  #   - { sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, user: u-42, role: operator }

# --- Traces of runs, model calls and tool calls for an OpenTelemetry collector (OTLP over HTTP).
# telemetry:                       # or OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS
#   endpoint: http://localhost:4318
#   headers: { Authorization: "Bearer \${COLLECTOR_TOKEN}" }
#   content: false                 # true: also what users, models and tools said
#   service_name: dandori

# user_id: u-42                    # the user of the runs; services and MCP servers get it
# language: en                     # en | ja; otherwise the language of the goal
`;
