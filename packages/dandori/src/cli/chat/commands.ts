import type { ConversationClient } from '../../app/index.ts';
import { type GivenAttachment, isApproval, readAttachments } from '../../commands/index.ts';
import type { Asked, ConversationRun } from '../../conversation/index.ts';
import type { NextAction } from '../../model/conversation.ts';
import { messageOf } from '../../model/error.ts';
import { bytesText, displayWidth } from '../../model/text.ts';
import type { Report } from '../../views/report.ts';
import { questionIn } from '../../views/texts/question-text.ts';
import { planLines } from '../commands/show.ts';
import { contextLines } from '../questions/question.ts';
import { oneLine, printable } from '../style.ts';
import { shortName, type Wording } from './message.ts';

/** What a chat command works with. */
export interface CommandContext extends Wording {
  readonly conversation: ConversationClient;
  readonly say: (text: string) => Promise<void>;
  /** Sends the answer, and keeps the prompt busy until its result is known. */
  readonly answer: (asked: Asked, typed: string, comment?: string) => Promise<void>;
  /** Files for the next message. */
  readonly attached: GivenAttachment[];
  /** Says something that answers no question. */
  readonly begin: (text: string) => Promise<void>;
  readonly decline: (asked: Asked, comment?: string) => Promise<void>;
}

type Command = (words: string, context: CommandContext) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  '/help': help,
  '/plan': plan,
  '/plans': plans,
  '/runs': runs,
  '/approve': approve,
  '/reject': reject,
  '/answer': answer,
  '/note': note,
  /** The name of `/note` in older versions. */
  '/tell': note,
  '/attach': attach,
  '/next': next,
  '/cancel': cancel,
  '/model': model,
};

/** Returns true if the text is a command. The chat itself handles `/quit`. */
export async function runCommand(text: string, context: CommandContext): Promise<boolean> {
  const [, name = '', words = ''] = /^(\/[a-z]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  if (!text.startsWith('/') || text.startsWith('//')) return false;
  const command = COMMANDS[name];
  await (command === undefined
    ? context.say(context.texts.chat.unknownCommand(text.split(/\s/)[0] ?? ''))
    : command(words.trim(), context));
  return true;
}

async function help(_: string, { say, texts, style }: CommandContext): Promise<void> {
  const width = Math.max(...texts.chat.help.map(([form]) => displayWidth(form)));
  const lines = texts.chat.help.map(
    ([form, about]) => `  ${style.bold(form)}${' '.repeat(width - displayWidth(form))}  ${about}`,
  );
  await say([...lines, style.dim(`  ${texts.chat.lines}`)].join('\n'));
}

async function plan(name: string, context: CommandContext): Promise<void> {
  const { conversation, say, texts } = context;
  const draft = conversation
    .questions()
    .findLast(({ run, question }) => question.kind === 'plan_approval' && run.endsWith(name));
  if (draft !== undefined) return say(draftText(draft, context));
  const all = conversation.plans();
  const meant = all.find((one) => (name === '' ? one.isActive : one.name === name))?.run;
  const wanted = conversation.runs().filter(({ run }) => run.endsWith(meant ?? name));
  const found = await lastPlanned(wanted, conversation);
  const lines = found === undefined ? [] : planLines(found, texts);
  await say(
    lines.length === 0
      ? texts.chat.noPlan
      : [shortName(found?.run ?? ''), ...lines].map((line) => `  ${line}`).join('\n'),
  );
}

/** Lists the plans, or makes the named one active. */
async function plans(name: string, { conversation, say, texts, style }: CommandContext): Promise<void> {
  if (name !== '') await conversation.activatePlan(name);
  const drafts = new Set(
    conversation.questions().flatMap(({ run, question }) => (question.kind === 'plan_approval' ? [run] : [])),
  );
  const lines = conversation.plans().map(({ run, name, isActive }) => {
    const status = drafts.has(run) ? `  ${style.yellow(texts.words.statuses.draft)}` : '';
    return `  ${isActive ? style.green('●') : '○'} ${printable(name)}  ${style.dim(shortName(run))}${status}`;
  });
  await say(lines.length === 0 ? texts.chat.noPlan : lines.join('\n'));
}

/** A plan that waits for approval is shown first, because the user most likely means that one. */
function draftText({ run, question }: Asked, { texts, style }: Wording): string {
  const head = `${shortName(run)} ${style.yellow(texts.chat.waitsForYou)}`;
  return [head, ...contextLines(question, texts)].map((line) => `  ${line}`).join('\n');
}

async function lastPlanned(
  runs: readonly ConversationRun[],
  conversation: ConversationClient,
): Promise<Report | undefined> {
  for (const { run } of runs.toReversed()) {
    const report = await conversation.report(run);
    if (report.plan !== undefined) return report;
  }
  return undefined;
}

async function runs(_: string, { conversation, say, texts, style }: CommandContext): Promise<void> {
  const all = conversation.runs();
  const lines = all.map((one) => {
    const { run, goal } = one;
    return `  ${style.bold(shortName(run))}  ${statusText(one, { texts, style })}  ${oneLine(goal, 60)}`;
  });
  await say(lines.length === 0 ? texts.chat.noRuns : lines.join('\n'));
}

/** The status of a run in a word or two. */
export function statusText(
  { outcome, progress, problem }: ConversationRun,
  { texts, style }: Wording,
): string {
  if (problem !== undefined) return style.red(messageOf(problem));
  if (outcome === 'waiting') return style.yellow(texts.chat.waitsForYou);
  if (outcome === 'open') {
    const { steps } = progress ?? {};
    return style.cyan(steps === undefined ? texts.chat.underWay : texts.stepsDone(steps.done, steps.total));
  }
  const status = texts.words.statuses[outcome];
  return outcome === 'answered' ? style.green(status) : style.red(status);
}

async function approve(words: string, context: CommandContext): Promise<void> {
  const open = context.conversation.questions().filter(({ question }) => isApproval(question));
  if (open.length === 0) return context.say(context.texts.chat.noApproval);
  const { asked, rest } = named(words, open);
  if (asked === undefined) return context.say(questionList(open, context));
  await context.answer(asked, 'approve', rest);
}

/** Rejects a plan or a call. Any other question is declined. */
async function reject(words: string, context: CommandContext): Promise<void> {
  const open = context.conversation.questions();
  if (open.length === 0) return context.say(context.texts.chat.noQuestion);
  const approvals = open.filter(({ question }) => isApproval(question));
  const { asked, rest } = named(words, open, approvals.length === 1 ? approvals : open);
  if (asked === undefined) return context.say(questionList(open, context));
  if (isApproval(asked.question)) await context.answer(asked, 'reject', rest);
  else await context.decline(asked, rest);
}

/** The question named by the first word, or the only possible one, with the rest of the words. */
function named(
  words: string,
  open: readonly Asked[],
  likely: readonly Asked[] = open,
): { asked: Asked | undefined; rest: string | undefined } {
  const [first = '', ...others] = words.split(/\s+/);
  const found = open.find((asked) => isNamed(asked, first));
  const rest = found === undefined ? words : others.join(' ');
  const asked = found ?? (likely.length === 1 ? likely[0] : undefined);
  return { asked, rest: rest === '' ? undefined : rest };
}

async function answer(words: string, context: CommandContext): Promise<void> {
  const { conversation, say, texts } = context;
  const open = conversation.questions();
  const [first = '', ...others] = words.split(/\s+/);
  const meant = open.filter((asked) => isNamed(asked, first));
  const [asked] = meant;
  if (open.length === 0) return say(texts.chat.noQuestion);
  if (asked === undefined || meant.length > 1 || others.length === 0) return say(questionList(open, context));
  await context.answer(asked, words.slice(first.length).trim());
}

async function note(words: string, context: CommandContext): Promise<void> {
  const { conversation, say, texts } = context;
  const [name = '', ...others] = words.split(/\s+/);
  const named = openRun(name, context);
  const found = named ?? onlyOpen(context);
  const text = named === undefined ? words : others.join(' ');
  if (found === undefined) return say(whichRun(context));
  if (text === '') return say(texts.chat.usage(texts.chat.noteForm));
  await conversation.tell(found.run, text);
  await say(texts.chat.told(shortName(found.run)));
}

/** Reads the file now, so that a wrong name is told at once. The next message takes it along. */
async function attach(words: string, { attached, say, texts }: CommandContext): Promise<void> {
  const file = words.replace(/^(['"])(.*)\1$/, '$2');
  if (file !== '') {
    const [read] = await readAttachments([file]);
    if (read !== undefined) attached.push(read);
  }
  const names = attached.map(({ name, data }) => `${name} (${bytesText(data.length)})`);
  await say(
    names.length === 0 ? texts.chat.usage(texts.chat.attachForm) : texts.chat.attached(names.join(', ')),
  );
}

/** Says what the last message recommended. It begins a run and answers no question. */
async function next(_: string, { conversation, say, texts, begin }: CommandContext): Promise<void> {
  const suggested = suggestionOf(conversation);
  if (suggested === undefined) return say(texts.chat.noNext);
  await begin(suggested.goal ?? suggested.text);
}

/** What the last message recommends. A reminder after it does not take it back. */
export function suggestionOf(conversation: ConversationClient): NextAction | undefined {
  return conversation.messages().findLast(({ role, kind }) => role === 'agent' && kind !== 'reminder')?.next;
}

async function cancel(words: string, context: CommandContext): Promise<void> {
  const { conversation, say, texts } = context;
  const [name = '', ...others] = words.split(/\s+/);
  const named = openRun(name, context);
  const found = named ?? onlyOpen(context);
  if (found === undefined) return say(whichRun(context));
  const reason = named === undefined ? words : others.join(' ');
  await conversation.cancel(found.run, reason === '' ? texts.cancelReason : reason);
  await say(texts.chat.cancelled(shortName(found.run)));
}

async function model(name: string, { conversation, say, texts }: CommandContext): Promise<void> {
  if (name === '') return say(texts.chat.model(conversation.model));
  await conversation.useModel(name);
  await say(texts.chat.modelNow(conversation.model));
}

function underWay({ conversation }: CommandContext): ConversationRun[] {
  return conversation.runs().filter(({ outcome }) => outcome === 'open' || outcome === 'waiting');
}

function openRun(name: string, context: CommandContext): ConversationRun | undefined {
  const found = underWay(context).filter(({ run }) => name.length >= 4 && run.endsWith(name));
  return found.length === 1 ? found[0] : undefined;
}

function onlyOpen(context: CommandContext): ConversationRun | undefined {
  const open = underWay(context);
  return open.length === 1 ? open[0] : undefined;
}

function whichRun(context: CommandContext): string {
  const names = underWay(context).map(({ run, goal }) => `${shortName(run)} (${oneLine(goal, 40)})`);
  return names.length === 0 ? context.texts.chat.noRuns : context.texts.chat.whichRun(names.join(', '));
}

/** `q1`, or `k3f9:q1` if two runs have a question with that id. */
export function questionName({ run, question }: Asked, open: readonly Asked[]): string {
  const isShared = open.filter((other) => other.question.id === question.id).length > 1;
  return isShared ? `${shortName(run)}:${question.id}` : question.id;
}

function isNamed({ run, question }: Asked, name: string): boolean {
  return name === question.id || name === `${shortName(run)}:${question.id}`;
}

export function questionList(
  open: readonly Asked[],
  { texts, style }: Wording,
  title: string = texts.chat.unclear.several,
): string {
  const lines = open.map((asked) => {
    const name = style.bold(texts.chat.answerWith(questionName(asked, open)));
    const text = oneLine(questionIn(asked.question, texts.language).text, 80);
    return `  ${name}  ${text} ${style.dim(`(${oneLine(asked.goal, 40)})`)}`;
  });
  return [title, ...lines].join('\n');
}
