import type { Sql } from 'postgres';
import { messageOf } from '../../model/error.ts';
import type { Event } from '../../model/event.ts';
import { stringifyJson } from '../../model/json.ts';
import type { KeptCounts } from '../counts.ts';
import { parseEvent } from '../files/line.ts';
import { RUNS } from '../journal.ts';
import { type Calls, PERIOD_MS, type Period, type RunCounts, type Sums } from '../statistics.ts';
import { queryOf } from './query.ts';
import { AFTER_EVERY_ID } from './schema.ts';

/** The columns of a run, and of a tool in a run, with their names in the sums of a period. */
const CALLS = { calls: 'calls', failed: 'failed', in_doubt: 'inDoubt', timeouts: 'timeouts' } as const;
const OUTCOMES = ['answered', 'failed', 'cancelled', 'exhausted', 'waiting', 'paused', 'open'] as const;

type Row = Readonly<Record<string, number | string | null>>;

/**
 * The sums of a group of runs. The names of outcomes begin with `o_`, because `failed` is also a count of calls.
 */
const SUMMED = [
  ...['ms', 'revisions', 'model_calls', 'input_tokens', 'output_tokens', 'cached_tokens', 'cost', 'rating'],
  ...Object.keys(CALLS),
];
const SUMS = [
  'count(*)::float8 as runs, count(rating)::float8 as ratings',
  ...SUMMED.map((name) => `sum(${name})::float8 as ${name}`),
  ...OUTCOMES.map((name) => `count(*) filter (where outcome = '${name}')::float8 as o_${name}`),
].join(', ');

/** What statistics need of each run, in a table that the database adds up. */
export function createPostgresCounts(sql: Sql, schema: string): KeptCounts {
  const query = queryOf(sql);

  return {
    async outdated({ limit, before, userId }) {
      const of = userId === undefined ? '' : OF_USER;
      const rows = await query<{ id: string; seq: number; body: string }>(
        `select e.id, e.seq, e.body from (
           select h.id from ${schema}.runs h left join ${schema}.run_counts c on c.id = h.id
           where c.seq is distinct from h.last_seq and h.id < $1::text collate "C" ${of}
           order by h.id desc limit $2
         ) h join ${schema}.run_events e on e.id = h.id order by e.id desc, e.seq`,
        [before ?? AFTER_EVERY_ID, limit, ...(userId === undefined ? [] : [userId])],
      );
      const lines = Map.groupBy(rows, ({ id }) => id);
      return [...lines].map(([run, found]) => {
        try {
          return { run, events: found.map(({ seq, body }) => eventOf(run, seq, body)) };
        } catch (error) {
          return { run, reason: messageOf(error) };
        }
      });
    },
    async keep(counted) {
      if (counted.length === 0) return;
      // As JSON text: the library has no arrays of rows, and a run may be removed at any time.
      await query(
        `with given as (
           select g.*, h.owner from jsonb_to_recordset($1::text::jsonb) as g (
             id text, seq integer, started_at float8, outcome text, is_ended boolean, ms float8, revisions integer,
             model_calls integer, input_tokens float8, output_tokens float8, cached_tokens float8, cost float8,
             rating integer, calls integer, failed integer, in_doubt integer, timeouts integer, tools jsonb
           ) join ${schema}.runs h on h.id = g.id collate "C" for key share of h
         )
         insert into ${schema}.run_counts select * from given
         on conflict (id) do update set (${COLUMNS}) = row (${COLUMNS.split(', ')
           .map((name) => `excluded.${name}`)
           .join(', ')}) where run_counts.seq < excluded.seq`,
        [stringifyJson(counted.map(rowOf))],
      );
    },
    async sum({ from = 0, every, userId }) {
      const where = SINCE;
      const args = [from, userId ?? null];
      const [all] = await query<Row>(
        `select ${SUMS}, avg(ms) filter (where is_ended) as mean,
           percentile_cont(0.5) within group (order by ms) filter (where is_ended) as median
         from ${schema}.run_counts ${where}`,
        args,
      );
      const tools = await query<Row>(
        `select t.key as operation, sum((t.value->>'calls')::integer)::float8 as calls,
           sum((t.value->>'failed')::integer)::float8 as failed, sum((t.value->>'in_doubt')::integer)::float8 as in_doubt,
           sum((t.value->>'timeouts')::integer)::float8 as timeouts
         from ${schema}.run_counts, jsonb_each(tools) as t ${where} group by t.key`,
        args,
      );
      const width = every === undefined ? 0 : PERIOD_MS[every];
      const periods =
        every === undefined
          ? []
          : await query<Row>(
              `select $1 + floor((started_at - $1) / ${width}) * ${width} as at, ${SUMS}
               from ${schema}.run_counts ${where} group by 1 order by 1`,
              args,
            );
      return sumsOf(all ?? {}, tools, periods);
    },
  };
}

const OF_USER = 'and h.owner = $3';
const SINCE = 'where started_at >= $1 and ($2::text is null or owner = $2)';
const COLUMNS =
  'seq, started_at, outcome, is_ended, ms, revisions, model_calls, input_tokens, output_tokens, cached_tokens, cost, rating, calls, failed, in_doubt, timeouts, tools, owner';

function eventOf(run: string, seq: number, body: string): Event {
  return parseEvent<Event>(Buffer.from(body), { file: run, run, line: seq, offset: 0, seq }, RUNS);
}

function rowOf({ run, seq, counts }: Parameters<KeptCounts['keep']>[0][number]): object {
  const { startedAt, outcome, isEnded, ms, revisions, modelCalls, tokens, cost, rating, tools } = counts;
  const each = Object.values(tools);
  const total = (name: keyof Calls) => each.reduce((sum, calls) => sum + calls[name], 0);
  const columns = Object.entries(CALLS);
  return {
    id: run,
    seq,
    started_at: startedAt,
    outcome,
    is_ended: isEnded,
    ms,
    revisions,
    model_calls: modelCalls,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cached_tokens: tokens.cachedInput,
    cost,
    rating,
    ...Object.fromEntries(columns.map(([column, name]) => [column, total(name)])),
    tools: Object.fromEntries(
      Object.entries(tools).map(([operation, calls]) => [
        storable(operation),
        Object.fromEntries(columns.map(([column, name]) => [column, calls[name]])),
      ]),
    ),
  };
}

function sumsOf(all: Row, tools: readonly Row[], periods: readonly Row[]): Sums {
  const { mean, median } = all;
  return {
    runs: numberOf(all.runs),
    all: periodOf(all),
    duration: mean == null ? null : { meanMs: numberOf(mean), medianMs: numberOf(median) },
    tools: Object.fromEntries(tools.map((row) => [String(row.operation), callsOf(row)])),
    periods: periods.map(periodOf),
  };
}

function periodOf(row: Row): Period {
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, numberOf(row[`o_${name}`])]));
  return {
    at: numberOf(row.at),
    outcomes: outcomes as Record<RunCounts['outcome'], number>,
    ms: numberOf(row.ms),
    revisions: numberOf(row.revisions),
    modelCalls: numberOf(row.model_calls),
    tokens: {
      input: numberOf(row.input_tokens),
      output: numberOf(row.output_tokens),
      cachedInput: numberOf(row.cached_tokens),
    },
    cost: row.cost == null ? null : numberOf(row.cost),
    ...callsOf(row),
    ratings: { sum: numberOf(row.rating), count: numberOf(row.ratings) },
  };
}

function callsOf(row: Row): Calls {
  const columns = Object.entries(CALLS).map(([column, name]) => [name, numberOf(row[column])]);
  return Object.fromEntries(columns) as Calls;
}

/** `jsonb` refuses these characters, and no tool of a server has them in its name. */
function storable(operation: string): string {
  return operation.toWellFormed().replaceAll('\0', '');
}

/** The sum of nothing is null. */
function numberOf(value: number | string | null | undefined): number {
  return Number(value ?? 0);
}
