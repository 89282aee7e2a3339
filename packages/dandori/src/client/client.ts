import type { Counted, RunQuestion } from '../history/all-runs.ts';
import type { RunDiff } from '../history/diff.ts';
import type { Forked } from '../history/fork.ts';
import type { HistoryLine } from '../history/history-lines.ts';
import type { PlanHistory } from '../history/plan-history.ts';
import type { Replayed } from '../history/replay.ts';
import type { Lifted } from '../history/save-as-plan.ts';
import type { Recorded } from '../history/save-as-test.ts';
import type { Event, Live } from '../model/event.ts';
import type { Examined } from '../model/finding.ts';
import type { Json } from '../model/json.ts';
import type { StandingApproval } from '../model/question.ts';
import type {
  Amounts,
  AnswerOptions,
  AnswerSoFar,
  ApprovalList,
  CheckedPlan,
  CheckRequest,
  DrivingState,
  EventPage,
  ForkOptions,
  ListOptions,
  Overview,
  PlanOfRun,
  QuestionList,
  RateRequest,
  ReplayRange,
  ResultPage,
  RunNow,
  RunPage,
  ServerUser,
  StartRequest,
  StatisticsFilters,
  ToolList,
} from '../server/api.ts';
import type { Report } from '../views/report.ts';
import type { ResultPart } from '../views/result-page.ts';
import { asForm, type ClientAttachment } from './attachments.ts';
import {
  type ConnectionOptions,
  connect,
  type FollowOptions,
  followStream,
  parsedAs,
  queryString,
  type ServerEvent,
} from './connection.ts';
import { type Conversations, createConversations } from './conversations.ts';

export interface ClientOptions extends ConnectionOptions {
  /** While following a run or a conversation: milliseconds to keep reconnecting to a lost server. */
  readonly patience?: number;
}

export type StartOptions = Omit<StartRequest, 'goal' | 'attachments'> & {
  /** Files that belong to the goal. */
  readonly attachments?: readonly ClientAttachment[] | undefined;
  /** Two requests with the same key start one run. */
  readonly key?: string | undefined;
};

/**
 * An event of the journal, or a live message: a delta, the driving state, or the whole answer so far
 * (`answer`). The server sends `answer` to a client that joins while an answer is being written. It replaces
 * earlier deltas.
 */
export type RunUpdate =
  | { readonly kind: 'event'; readonly event: Event }
  | AnswerSoFar
  | { readonly kind: 'live'; readonly live: Live }
  | { readonly kind: 'driving'; readonly state: DrivingState };

/** A connection to a Dandori server. Errors are `DandoriError`s with the server's code and fix. */
export interface Client {
  /** The user of the token. The id is missing if the server has no tokens. */
  user(): Promise<ServerUser>;
  start(goal: string, options?: StartOptions): Promise<string>;
  runs(options?: ListOptions): Promise<RunPage>;
  run(run: string): Promise<RunNow>;
  events(run: string, after?: number): Promise<Event[]>;
  /**
   * Yields every event once and in order, and reconnects when needed. It continues after the end of the run.
   */
  follow(run: string, options?: FollowOptions): AsyncGenerator<RunUpdate>;
  /** Waits until the run has ended or needs a person. */
  settled(
    run: string,
    options?: FollowOptions & { readonly onUpdate?: (news: RunUpdate) => void },
  ): Promise<Report>;
  answer(run: string, question: string, answer: Json, options?: AnswerOptions): Promise<void>;
  /** Returns the question that it answers. `plan` is a plan file to run instead of the proposed plan. */
  approve(run: string, options?: { readonly question?: string; readonly plan?: string }): Promise<string>;
  reject(run: string, options?: { readonly question?: string; readonly reason?: string }): Promise<string>;
  /** The approvals that you gave for good. */
  approvals(): Promise<StandingApproval[]>;
  /** From then on you are asked again, in runs in progress too. */
  revokeApproval(id: string): Promise<void>;
  questions(): Promise<RunQuestion[]>;
  tell(run: string, text: string): Promise<void>;
  pause(run: string, reason?: string): Promise<void>;
  cancel(run: string, reason?: string): Promise<void>;
  addBudget(run: string, amounts: Amounts): Promise<void>;
  rate(run: string, rating: RateRequest): Promise<void>;
  resume(run: string): Promise<void>;
  plan(run: string): Promise<PlanOfRun>;
  lift(run: string): Promise<Lifted>;
  fork(run: string, options?: ForkOptions): Promise<Forked>;
  diff(run: string, other: string): Promise<RunDiff>;
  history(run: string): Promise<PlanHistory>;
  /** Plans, revisions and reflections in the documented line format. */
  historyLines(run: string): Promise<HistoryLine[]>;
  /** Compiles a plan file: by itself, or as an edit of a run in its current or an earlier state. */
  check(plan: string, within?: Omit<CheckRequest, 'plan'>): Promise<CheckedPlan>;
  /** A page of a task's result, or of the value at a path in it. */
  result(run: string, task: string, page?: ResultPage): Promise<ResultPart>;
  /** The journal as JSON Lines. */
  journal(run: string): Promise<string>;
  /** Computes the run again from its journal alone, and verifies each event. */
  replay(run: string, options?: ReplayRange): Promise<Replayed>;
  /** A test case made from the run, for `runCase` of `dandori/testing`. */
  record(run: string): Promise<Recorded>;
  /** Looks for damage in everything that is stored, or in one run. It repairs nothing. Only for admins. */
  doctor(run?: string): Promise<Examined>;
  /** The processes of the store, their leases and the queue. Only for admins. */
  workers(): Promise<Overview>;
  tools(): Promise<ToolList>;
  /** `every` adds a time series, whose first period begins at `since`. */
  statistics(options?: StatisticsFilters): Promise<Counted>;
  readonly conversations: Conversations;
}

const PATIENCE = 60_000;

export function createClient({ patience = PATIENCE, ...connection }: ClientOptions): Client {
  const { send, get, post } = connect(connection);
  const at = (run: string, rest = '') => `/api/runs/${encodeURIComponent(run)}${rest}`;
  const tell = async (run: string, what: string, body: object) => {
    await post(at(run, `/${what}`), body);
  };

  async function events(run: string, after = 0): Promise<Event[]> {
    const all: Event[] = [];
    for (let from: number | undefined = after; from !== undefined; ) {
      const page: EventPage = await get(at(run, `/events?after=${from}&limit=10000`));
      for (const event of page.events) all.push(event);
      from = page.next;
    }
    return all;
  }

  const follow: Client['follow'] = async function* (run, options) {
    for await (const event of followStream({ send, path: at(run, '/stream'), patience }, options))
      yield followed(event);
  };

  return {
    start: async (goal, { key, attachments = [], ...rest } = {}) => {
      const request = asForm({ goal, ...rest }, attachments);
      return (await post<{ run: string }>('/api/runs', request, key)).run;
    },
    runs: (filters = {}) => get(`/api/runs${queryString(filters)}`),
    run: (run) => get(at(run)),
    events,
    follow,
    async settled(run, { onUpdate, ...following } = {}) {
      let seen = following.after ?? 0;
      for await (const news of follow(run, following)) {
        onUpdate?.(news);
        if (news.kind === 'event') seen = news.event.seq;
        const isAtRest = news.kind === 'driving' && news.state === 'idle';
        if (!isAtRest && !(news.kind === 'event' && news.event.type === 'run_finished')) continue;
        const now = await get<RunNow>(at(run));
        if (now.driving !== 'idle') continue;
        // The stream may lag a little, so the missing events are fetched.
        for (const event of await events(run, seen)) onUpdate?.({ kind: 'event', event });
        return now.report;
      }
      return (await get<RunNow>(at(run))).report;
    },
    answer: (run, question, answer, options = {}) => tell(run, 'answer', { question, answer, ...options }),
    approve: async (run, options = {}) =>
      (await post<{ question: string }>(at(run, '/approve'), options)).question,
    reject: async (run, options = {}) =>
      (await post<{ question: string }>(at(run, '/reject'), options)).question,
    user: () => get('/api/user'),
    approvals: async () => (await get<ApprovalList>('/api/approvals')).approvals,
    revokeApproval: async (id) => {
      await send(`/api/approvals/${encodeURIComponent(id)}`, { method: 'DELETE' });
    },
    questions: async () => (await get<QuestionList>('/api/questions')).questions,
    tell: (run, text) => tell(run, 'note', { text }),
    pause: (run, reason) => tell(run, 'pause', reason === undefined ? {} : { reason }),
    cancel: (run, reason) => tell(run, 'cancel', reason === undefined ? {} : { reason }),
    addBudget: (run, amounts) => tell(run, 'budget', amounts),
    rate: (run, rating) => tell(run, 'rate', rating),
    resume: (run) => tell(run, 'resume', {}),
    plan: (run) => get(at(run, '/plan')),
    lift: (run) => get(at(run, '/lift')),
    fork: (run, options = {}) => post(at(run, '/fork'), options),
    diff: (run, other) => get(at(run, `/diff/${encodeURIComponent(other)}`)),
    history: (run) => get(at(run, '/history')),
    async historyLines(run) {
      const text = await (await send(at(run, '/history/lines'))).text();
      return text.split('\n').flatMap((line) => (line === '' ? [] : [parsedAs<HistoryLine>(line)]));
    },
    check: (plan, within) => post('/api/plans/check', { plan, ...within }),
    result: (run, task, page = {}) =>
      get(at(run, `/tasks/${encodeURIComponent(task)}/result${queryString(page)}`)),
    journal: async (run) => (await send(at(run, '/journal'))).text(),
    replay: (run, options = {}) => get(at(run, `/replay${queryString(options)}`)),
    record: (run) => get(at(run, '/record')),
    workers: () => get('/api/workers'),
    doctor: (run) => get(`/api/doctor${queryString({ run })}`),
    tools: () => get('/api/tools'),
    statistics: (filters = {}) => get(`/api/statistics${queryString(filters)}`),
    conversations: createConversations({ send, get, post }, patience),
  };
}

function followed({ name, data }: ServerEvent): RunUpdate {
  switch (name) {
    case 'message':
      return { kind: 'event', event: parsedAs(data) };
    case 'driving':
      return { kind: 'driving', state: parsedAs<{ state: DrivingState }>(data).state };
    case 'answer_so_far':
      return { ...parsedAs<Omit<AnswerSoFar, 'kind'>>(data), kind: 'answer' };
    // A newer server may send other kinds of deltas.
    default:
      return { kind: 'live', live: parsedAs(data) };
  }
}
