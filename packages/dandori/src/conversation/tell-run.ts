import { addNote, answerQuestion, cancelRun, reject, takesWords } from '../commands/index.ts';
import type { Parts } from '../driver/index.ts';
import { DandoriError } from '../model/error.ts';
import { asText, type Json, type JsonObject } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import { shown } from '../model/redact.ts';
import { fold } from '../run/state/apply.ts';
import type { CallOutcome, OtherRuns } from '../tools/index.ts';
import { planView } from '../views/plan.ts';
import { openQuestions } from '../views/report.ts';
import { readingNotice, readReply } from './answer-value.ts';
import type { ConversationParts } from './conversation.ts';
import { canBeRead, type GivenAnswer } from './interpret.ts';
import type { ConversationLedger } from './ledger.ts';
import { questionWithOptions } from './start-run.ts';
import { isReported, type NamedPlan, plansOf } from './state.ts';
import { hasReadStrangers, isSuggested, strangersOf } from './strangers.ts';

/** A user's words for a run. Words that a model passes on are a note, which `othersOf` adds. */
interface Words {
  readonly run: string;
  readonly text: string;
  readonly by: string | undefined;
}

/**
 * Delivers a user's words to a run. They reject its plan with a reason, answer a question that accepts any
 * text, or become a note for the next decision. They never approve anything.
 */
export async function deliverWords({ run, text, by }: Words, parts: Parts): Promise<void> {
  const state = fold(await parts.journal.read(run));
  const open = [...(state?.questions.values() ?? [])].filter(({ answer }) => answer === undefined);
  const asked = open.find(({ question }) => question.kind === 'plan_approval' || takesWords(question));
  if (asked === undefined) await addNote({ run, text, by }, parts);
  else if (asked.question.kind === 'plan_approval')
    await reject({ run, question: asked.question.id, reason: text, by }, parts);
  else await answerQuestion({ run, question: asked.question.id, answer: text, by }, parts);
}

/**
 * The other runs of a conversation, as the model of one run can tell, answer or cancel them.
 *
 * What a model says never counts as the user's word, because a tool may have injected it. It is marked with
 * the run that it came from. It is only a note and leaves every question open. `answer` passes on what the
 * user's message says: `run/approval-policy` asks the user first, unless that message names the answer.
 */
export function othersOf(
  ledger: ConversationLedger,
  parts: Parts & Pick<ConversationParts, 'language'>,
): OtherRuns {
  /** Shows the user how the message was read. */
  async function tellUnderstood(
    about: { run: string; question: Question },
    given: GivenAnswer,
  ): Promise<void> {
    await ledger.write((state) => {
      const language = parts.language ?? state?.language ?? 'en';
      const [message] = readingNotice(about, { text: '', given, language });
      return message === undefined || state?.messages.has(message.id)
        ? []
        : [{ type: 'message_written', data: { message } }];
    });
  }

  /** The mark of a result that repeats words of these runs. */
  const wordsOf = async (runs: Iterable<string>): Promise<{ hasHeardStrangers?: true }> => {
    const { state } = ledger;
    if (state === undefined) return {};
    const { runs: heard } = strangersOf(state);
    for (const run of runs) {
      const open = isReported(state, run) ? undefined : fold(await parts.journal.read(run));
      if (heard.has(run) || (open !== undefined && hasReadStrangers(open)))
        return { hasHeardStrangers: true };
    }
    return {};
  };

  const known = async (run: string, work: () => Promise<JsonObject>): Promise<CallOutcome> => {
    try {
      if (ledger.state?.runs.has(run) !== true) return refused(`there is no run ${run} in this conversation`);
      return { kind: 'succeeded', result: { run, ...(await work()) } };
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      return refused(error.message);
    }
  };
  /** A question and its options may be in the words of a tool. */
  const quoting = async (run: string, work: () => Promise<JsonObject>): Promise<CallOutcome> => ({
    ...(await known(run, work)),
    ...(ledger.state?.runs.has(run) && (await wordsOf([run]))),
  });
  return {
    read: async (id) => {
      const message = ledger.state?.messages.get(id);
      if (message === undefined) return refused(`there is no message ${id} in this conversation`);
      const { text, kind, run = '', question: asked = '' } = message;
      const state = kind === 'question' ? fold(shown(await parts.journal.read(run))) : undefined;
      const { question } = state?.questions.get(asked) ?? {};
      const result = { text, ...(question && { question: questionWithOptions(question) }) };
      const { state: known } = ledger;
      if (known !== undefined && isSuggested(text, strangersOf(known)))
        return { kind: 'succeeded', result, hasHeardStrangers: true };
      return { kind: 'succeeded', result, ...(kind === 'said' && asked === '' ? {} : await wordsOf([run])) };
    },
    tell: ({ run, text, from }) =>
      known(run, async () => {
        await addNote({ run, text, passedOnBy: from }, parts);
        return { told: 'as a note for its next decision', ...(await stillOpen(run, parts)) };
      }),
    answer: ({ run, question, answer, declined, from }) =>
      quoting(run, async () => {
        const state = fold(shown(await parts.journal.read(run)));
        const asked = state?.questions.get(question)?.question;
        const message = ledger.state?.messages.get(ledger.state.runs.get(from) ?? '');
        if (state === undefined || asked === undefined)
          throw stillOpenError(question, 'the run has no such question');
        if (message?.role !== 'user') throw stillOpenError(question, 'no message of the user says it');
        if (!canBeRead(asked))
          throw stillOpenError(question, 'only the user can answer it, with a clear yes or no of their own');
        const given = declined
          ? { answer: null, declined }
          : answerByWords(answer, { question: asked, goal: state.goal });
        const { userId: by } = ledger.state ?? {};
        await answerQuestion(
          {
            ...{ run, question, answer: given.answer, declined, by },
            ...{ message: message.id, language: message.language, readBy: { run: from } },
          },
          parts,
        );
        const label = given.label ?? (declined ? undefined : asText(given.answer));
        await tellUnderstood({ run, question: asked }, { ...given, ...(label !== undefined && { label }) });
        const result: JsonObject = declined ? { declined: true } : { answered: label ?? null };
        return result;
      }),
    plans: async () => {
      const plans = [];
      for (const { run, name, isActive } of plansOf(ledger.state)) {
        const state = fold(await parts.journal.read(run));
        const status = (state && planView(state))?.status ?? 'failed';
        plans.push({ run, name, status, active: isActive });
      }
      return { kind: 'succeeded', result: { plans }, ...(await wordsOf(plans.map(({ run }) => run))) };
    },
    activate: async (plan) => {
      try {
        const { name, run } = await activatePlan(plan, ledger);
        return { kind: 'succeeded', result: { active: name, run }, ...(await wordsOf([run])) };
      } catch (error) {
        if (!(error instanceof DandoriError)) throw error;
        const heard = await wordsOf(ledger.state?.plans.keys() ?? []);
        return { ...refused(`${error.message} ${error.fix ?? ''}`), ...heard };
      }
    },
    cancel: ({ run, reason, from }) =>
      known(run, async () => {
        await cancelRun({ run, reason, passedOnBy: from }, parts);
        return { cancelled: true };
      }),
  };
}

/** Makes a plan the active one, by its name or its run. */
export async function activatePlan(wanted: string, ledger: ConversationLedger): Promise<NamedPlan> {
  const plans = plansOf(ledger.state);
  const found = plans.find(({ run, name }) => name === wanted || run === wanted);
  if (found === undefined) {
    const names = plans.map(({ name }) => name).join(', ');
    throw new DandoriError('usage', `There is no plan "${wanted}" in this conversation.`, {
      fix: names === '' ? 'No plan was proposed yet.' : `The plans: ${names}.`,
    });
  }
  const { run, name } = found;
  await ledger.write((state) =>
    state?.activePlan === run ? [] : [{ type: 'plan_activated', data: { run, name } }],
  );
  return { run, name, isActive: true };
}

/** Prevents the model from telling the user that a question was answered. */
async function stillOpen(run: string, { journal }: Parts): Promise<JsonObject> {
  const state = fold(await journal.read(run));
  const open = state === undefined ? [] : openQuestions(state);
  if (open.length === 0) return {};
  const questions = open.map(({ id, kind }) => `${id} (${kind})`).join(', ');
  return {
    unanswered: `${questions}: still open. A note answers nothing: use run.answer where the message of the user says the answer.`,
  };
}

/**
 * The user may have been shown these words, and nothing else, as the answer. So they must say what is chosen:
 * no number of an option and no value that only programs know.
 */
function answerByWords(answer: Json, { question, goal }: { question: Question; goal: string }): GivenAnswer {
  const given = readReply({ answer }, { question, goal });
  const { options = [], form } = question;
  const isScalar = typeof answer === 'string' || typeof answer === 'number';
  if (form === undefined && !isScalar) throw stillOpenError(question.id, 'the answer must be a text');
  const said = folded(asText(answer));
  const isShown = options.some(({ label }) => label === given.label && folded(label).includes(said));
  if (options.length > 0 && !isShown)
    throw stillOpenError(question.id, 'the answer must be the label of an option');
  return given;
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

function stillOpenError(question: string, why: string): DandoriError {
  return new DandoriError('answer-not-allowed', `${question} is still open: ${why}`);
}

function refused(message: string): CallOutcome {
  return { kind: 'failed', failure: { kind: 'not_possible', message } };
}
