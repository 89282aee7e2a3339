import { type Message, messageIn, toMessage } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { languageOf } from '../model/text.ts';
import { issueText, type Probe } from '../model/tool.ts';
import { attemptsMade } from '../run/monitor.ts';
import { findingIn, probeArgs } from '../run/probe.ts';
import type { TaskState } from '../run/state/state.ts';
import { checkOpened, opaqueForOnce } from '../secrets/index.ts';
import { driverTexts } from '../views/texts/of-run.ts';
import { wordFor } from '../views/texts/said.ts';
import type { Mail } from './mailbox.ts';
import { sealedResult } from './outcomes.ts';
import type { Driver } from './perform.ts';
import { doubtQuestion } from './questions.ts';

/**
 * Settles a call whose outcome is unknown. The driver probes for it if the tool has a probe, and otherwise
 * asks the user. It never just repeats the call.
 */
export function settle(id: string, driver: Driver): void {
  const task = driver.ledger.state.tasks.get(id);
  if (task === undefined) return;
  const look = prepareProbe(task, driver);
  if (look === undefined || 'problem' in look) {
    const question = doubtQuestion(task, look?.problem, driver.ledger.state);
    driver.ledger.record({ type: 'question_asked', data: { question } });
    return;
  }
  const { ledger, calls, run } = driver;
  const { attempts: attempt } = task;
  const { probe, args, opened } = look;
  ledger.record({ type: 'probe_started', data: { task: id, attempt, operation: probe.tool, args } });
  const { state } = ledger;
  calls.plan({
    instead: 'probe',
    operation: probe.tool,
    args: opened,
    key: `${run}/${id}/probe`,
    task: id,
    attempt,
    userId: state.userId,
    language: languageOf(state),
    delay: probe.wait,
    timeoutMs: state.settings.task.timeoutMs,
    word: wordFor(state),
  });
}

type Look =
  | { readonly probe: Probe; readonly args: JsonObject; readonly opened: JsonObject }
  | { readonly problem: string };

/** Undefined if the tool has no probe, or if probing has not helped. */
function prepareProbe(task: TaskState, { run, parts, ledger, sealing }: Driver): Look | undefined {
  const { state } = ledger;
  const tools = parts.toolbox.tools();
  const probe = tools.get(task.task.operation)?.probe;
  // If a call is lost repeatedly, the driver asks the user instead of probing again.
  const { attempts, restarts = 0 } = state.settings.task;
  if (probe === undefined || attemptsMade(task) > attempts) return undefined;
  if (task.crashes > restarts) return undefined;
  if (task.probed?.attempt === task.attempts) return undefined;
  const texts = driverTexts(state);
  const tool = tools.get(probe.tool);
  if (tool === undefined) return { problem: texts.probeMissing(probe.tool) };
  if (tool.effect !== 'read') return { problem: texts.probeWrites(probe.tool) };
  const opaque = opaqueForOnce();
  const sent = opaque.hide(task.sent ?? task.task.args);
  const args = opaque.reveal(probeArgs(probe, sent, task.key ?? `${run}/${task.task.id}`));
  if (typeof args === 'string') return { problem: texts.probeLacks(probe.tool, args) };
  const [issue] = checkOpened(parts.check, sealing)(tool.inputSchema, args);
  if (issue !== undefined) return { problem: texts.notFitting(probe.tool, issueText(issue)) };
  const opened = sealing.open(args);
  return opened === undefined ? { problem: texts.secretGone } : { probe, args, opened };
}

export async function probeEnded(mail: Mail & { type: 'probe_ended' }, driver: Driver): Promise<void> {
  const { ledger, parts, results, sealing } = driver;
  const { task, attempt, outcome, ms } = mail;
  const word = wordFor(ledger.state);
  const operation = ledger.state.tasks.get(task)?.task.operation ?? '';
  const probe = parts.toolbox.tools().get(operation)?.probe;
  const unknown = (message: Message) =>
    ledger.record({
      type: 'probe_ended',
      data: { task, attempt, found: 'unknown', ...messageIn(message), ms },
    });
  if (probe === undefined || outcome.kind === 'ambiguous' || outcome.kind === 'input_wanted')
    return unknown(toMessage({ code: 'probe_missing', params: { operation } }, word));
  if (outcome.kind === 'failed') return unknown(outcome.failure);
  if (outcome.kind === 'lost') return unknown(outcome);
  const { result, ...finding } = findingIn(outcome.result, probe, word);
  const stored = result === undefined ? {} : await results.store(sealedResult(result, sealing));
  ledger.record({ type: 'probe_ended', data: { task, attempt, ...finding, ...stored, ms } });
}
