import { isDeepStrictEqual } from 'node:util';
import type { Purpose } from '../model/event.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { holdsRedacted } from '../model/redact.ts';
import type { Action, Task } from '../model/task.ts';
import { languageOf } from '../model/text.ts';
import { laneOf } from '../model/tool.ts';
import { refsIn } from '../plan/fill-refs.ts';
import { OWN_OPERATIONS } from '../run/actions/own-operations.ts';
import {
  type ActionReader,
  createActionReader,
  type ParsedActions,
  parseActions,
} from '../run/actions/parse-actions.ts';
import { overtakes, prefetchCheck } from '../run/drafts/prefetch-check.ts';
import { workTimeLeft } from '../run/limits.ts';
import { hasEnded } from '../run/state/state.ts';
import { isWayOut, mayReachOut } from '../run/trust/aim.ts';
import { checkOpened, fillSealedRefs } from '../secrets/index.ts';
import { wordFor } from '../views/texts/said.ts';
import { type CallState, type OpenCall, type PlannedCall, stateOf } from './calls/running-call.ts';
import type { Mail } from './mailbox.ts';
import { sealedResult, unexpected } from './outcomes.ts';
import type { Driver } from './perform.ts';

/**
 * Prefetch: reads that are called while the mind still writes. They are not journaled. A read has no effect,
 * so after a crash it is simply made again. When a task of the compiled list starts, it takes its prefetched
 * call instead of making a new one. The journal looks the same as without prefetch.
 *
 * R1  Only reads that `run/drafts/prefetch-check` allows are called, and only when every Ref can be filled
 *     from an available result.
 * R2  A call is taken at most once: by the first attempt of its own task, and only for identical arguments.
 * R3  A prefetched result must equal what the call would return now. A write that starts discards the
 *     prefetched reads of the same resource.
 * R4  Prefetched calls and tasks share the concurrency limits. A task that is due has priority.
 * R5  A call that will not become a task is aborted as soon as the driver knows that.
 */
export interface ReadAhead {
  /** Returns the callback for each action of this decision, as the mind writes it. */
  listen(decision: number, purpose: Purpose): (action: Action) => void;
  see(mail: Mail & { type: 'action_written' }): Promise<void>;
  /** Parses a whole decision. Actions that were parsed while they were written are not parsed again. */
  parse(decision: number, actions: readonly Action[]): ParsedActions;
  goOn(mail: Mail & { type: 'read_ended' }): Promise<void>;
  /** The state of the prefetched call for this call. `none`: there is no such call. */
  stateOf(call: PlannedCall): CallState | 'none';
  /** Returns the prefetched call for this one. Call it for every call that is due, including writes (R3). */
  take(call: PlannedCall): OpenCall | undefined;
  /** Call it after `take` has seen every due call. It aborts the calls that no task will take (R4, R5). */
  settle(): void;
}

interface Ahead {
  readonly task: Task;
  readonly lane: string;
  /** Tasks of the list whose prefetched calls must succeed first. */
  readonly needs: readonly string[];
  made: { readonly call: PlannedCall; readonly begun: OpenCall } | undefined;
  /** The result as it will be journaled, if the call succeeded. */
  result: { readonly value: Json } | undefined;
  isTask: boolean;
}

/** The list that the mind is writing. */
interface Stream {
  readonly number: number;
  readonly decision: number;
  readonly reader: ActionReader;
  readonly seen: Task[];
  isUnclear: boolean;
}

/** Operations that do not affect the tool calls beside them. */
const HARMLESS: readonly string[] = ['answer', 'ask', 'reflect'];

export function createReadAhead(inner: Omit<Driver, 'readAhead'>): ReadAhead {
  const { run, parts, ledger, mailbox, calls, results, sealing, checked } = inner;
  let stream = streamOf(0, 0);
  /** In the order in which the mind wrote them. */
  const entries = new Map<string, Ahead>();
  /** Entries of the stream that have not been called yet. */
  const waiting = new Set<Ahead>();
  /** Prefetched calls that are running and belong to no task yet. */
  const underWay = new Set<Ahead>();

  function isWriting(decision: number): boolean {
    const { thinking, cancel, paused } = ledger.state;
    return thinking?.decision === decision && cancel === undefined && paused === undefined;
  }

  function streamOf(number: number, decision: number): Stream {
    const reader = createActionReader(() => ledger.state, parts.check);
    return { number, decision, reader, seen: [], isUnclear: number === 0 };
  }

  function lookAt(action: Action): void {
    if (HARMLESS.includes(action.operation)) return;
    const task = OWN_OPERATIONS.has(action.operation) ? undefined : stream.reader.add(action);
    const { state } = ledger;
    const tools = parts.toolbox.tools();
    const seen =
      task === undefined
        ? undefined
        : prefetchCheck(task, { state, tools, check: parts.check, checked, earlier: stream.seen });
    if (task === undefined || holdsRedacted(task.args) || seen === undefined || seen.kind === 'unclear') {
      stream.isUnclear = true;
      return;
    }
    stream.seen.push(task);
    if (seen.kind === 'later') return;
    const entry: Ahead = {
      task,
      lane: laneOf(task.operation, state.settings.servers),
      needs: seen.needs,
      made: undefined,
      result: undefined,
      isTask: false,
    };
    entries.set(task.id, entry);
    waiting.add(entry);
  }

  /** Calls the entries whose needs are met, while there is room. */
  async function callReady(): Promise<void> {
    if (!isWriting(stream.decision) || workTimeLeft(ledger.state, parts.clock.now()) <= 0) return;
    for (const entry of [...waiting]) {
      const isReady = entry.needs.every((id) => entries.get(id)?.result !== undefined);
      if (!isReady || !hasRoom(entry.lane)) continue;
      waiting.delete(entry);
      const args = await fillIn(entry.task);
      if (args === undefined) entries.delete(entry.task.id);
      else call(entry, args);
    }
  }

  /** Undefined if the call cannot be made. Its task will report why. */
  async function fillIn({ args, operation }: Task): Promise<JsonObject | undefined> {
    const { state } = ledger;
    const refs = refsIn(args);
    await results.load(
      state,
      refs.map(({ ref }) => ref.task),
    );
    const injected = fillSealedRefs(args, (id) => {
      const ahead = entries.get(id)?.result;
      return ahead === undefined ? results.get(state, id) : ahead.value;
    });
    const tool = parts.toolbox.tools().get(operation);
    if (!injected.ok || tool?.effect !== 'read') return undefined;
    if (!state.isSealed && holdsRedacted(injected.args)) return undefined;
    // Only now, with the Refs filled, can an address appear in the arguments. The trust check follows when the call
    // becomes a task.
    const { trust } = state.settings;
    if (trust !== undefined && isWayOut(tool, injected.args)) return undefined;
    if (trust?.policy === 'strict' && mayReachOut(tool, injected.args)) return undefined;
    const isFitting =
      refs.length === 0 || checkOpened(parts.check, sealing)(tool.inputSchema, injected.args).length === 0;
    return isFitting ? sealing.open(injected.args) : undefined;
  }

  function call(entry: Ahead, args: JsonObject): void {
    const { id, operation, timeoutMs } = entry.task;
    const { userId, settings } = ledger.state;
    const call = {
      operation,
      args,
      key: `${run}/${id}`,
      task: id,
      attempt: 1,
      userId,
      language: languageOf(ledger.state),
      timeoutMs: timeoutMs ?? settings.task.timeoutMs,
      word: wordFor(ledger.state),
    };
    const begun = calls.begin(call, 'ahead');
    entry.made = { call, begun };
    underWay.add(entry);
    const { number } = stream;
    void begun.ended.then(() => {
      underWay.delete(entry);
      if (!entry.isTask) mailbox.post({ type: 'read_ended', stream: number, task: id });
    });
  }

  function load(lane?: string): number {
    const { running, runningIn } = ledger.state.indexes;
    if (lane === undefined) return running.size + underWay.size;
    const ahead = [...underWay].filter((entry) => entry.lane === lane);
    return (runningIn.get(lane) ?? 0) + ahead.length;
  }

  function limitOf(lane: string): number {
    return ledger.state.settings.servers?.[lane] ?? Number.POSITIVE_INFINITY;
  }

  function hasRoom(lane: string): boolean {
    return load() < ledger.state.settings.concurrency && load(lane) < limitOf(lane);
  }

  function letGo(entry: Ahead, reason: string): void {
    entries.delete(entry.task.id);
    waiting.delete(entry);
    underWay.delete(entry);
    entry.made?.begun.abort(reason);
  }

  /**
   * Call it only when the list is complete: an entry that is not a pending task by now will never become one.
   */
  function letGoOfTheRest(): void {
    for (const entry of [...entries.values()]) {
      const task = ledger.state.tasks.get(entry.task.id);
      const isComing = task?.attempts === 0 && !hasEnded(task.status);
      if (entry.made === undefined || !isComing) letGo(entry, 'it will be no task');
    }
  }

  return {
    listen(decision, purpose) {
      const { mode, streamDispatch } = ledger.state.settings;
      if (streamDispatch !== true || mode === 'direct' || purpose !== 'act') return () => {};
      letGoOfTheRest();
      stream = streamOf(stream.number + 1, decision);
      const { number } = stream;
      return (action) => mailbox.post({ type: 'action_written', stream: number, action });
    },
    async see({ stream: number, action }) {
      if (stream.number !== number || stream.isUnclear || !isWriting(stream.decision)) return;
      lookAt(action);
      await callReady();
    },
    parse(decision, actions) {
      if (stream.decision !== decision) return parseActions(actions, ledger.state, parts.check);
      return stream.reader.finish(actions);
    },
    async goOn({ stream: number, task }) {
      const entry = entries.get(task);
      const how = entry?.made?.begun.how;
      if (stream.number !== number || entry === undefined || how === undefined) return;
      const { outcome } = how;
      const value = outcome.kind === 'succeeded' ? sealedResult(outcome.result, sealing) : undefined;
      const judging = { check: parts.check, word: wordFor(ledger.state) };
      if (value !== undefined && unexpected(value, entry.task.expect, judging) === undefined)
        entry.result = { value };
      await callReady();
    },
    stateOf(call) {
      const { made } = entries.get(call.task) ?? {};
      if (made === undefined || ledger.state.tasks.get(call.task)?.effect !== 'read') return 'none';
      return isSameCall(made.call, call) ? stateOf(made.begun) : 'none';
    },
    take(call) {
      if (ledger.state.tasks.get(call.task)?.effect !== 'read') {
        const tools = parts.toolbox.tools();
        const write = { ...call, id: call.task };
        for (const entry of [...entries.values()]) {
          const read = { ...entry.task, args: entry.made?.call.args ?? entry.task.args };
          if (overtakes(write, read, tools)) letGo(entry, 'something else is written');
        }
        return undefined;
      }
      const entry = entries.get(call.task);
      if (entry === undefined) return undefined;
      const { made } = entry;
      if (made === undefined || !isSameCall(made.call, call)) {
        letGo(entry, 'it is called with other arguments');
        return undefined;
      }
      entry.isTask = true;
      entries.delete(call.task);
      underWay.delete(entry);
      return made.begun;
    },
    settle() {
      if (!isWriting(stream.decision)) letGoOfTheRest();
      // Drops the latest first, because the run probably needs the earlier ones sooner.
      for (const entry of [...underWay].toReversed()) {
        const isTooMuch =
          load() > ledger.state.settings.concurrency || load(entry.lane) > limitOf(entry.lane);
        if (isTooMuch) letGo(entry, 'its place is needed');
      }
    },
  };
}

function isSameCall(one: PlannedCall, other: PlannedCall): boolean {
  return isDeepStrictEqual(comparable(one), comparable(other));
}

function comparable({ task, operation, args, attempt, timeoutMs, userId }: PlannedCall): object {
  return { task, operation, args, attempt, timeoutMs, userId };
}
