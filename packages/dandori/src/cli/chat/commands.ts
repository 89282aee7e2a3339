import type { ConversationClient } from '../../app/run-client.ts';
import { isApproval } from '../../commands/answer-words.ts';
import type { ConversationRun } from '../../conversation/conversation.ts';
import type { Asked } from '../../conversation/interpret.ts';
import { displayWidth } from '../../model/text.ts';
import type { Report } from '../../views/report.ts';
import { planLines } from '../commands/show.ts';
import { contextLines } from '../questions/question.ts';
import { oneLine } from '../style.ts';
import { shortName, type Wording } from './message.ts';

/** What a command works with. */
export interface Room extends Wording {
  readonly conversation: ConversationClient;
  readonly say: (text: string) => Promise<void>;
  /** Waits at the prompt for what an answer leads to. */
  readonly answer: (asked: Asked, typed: string, comment?: string) => Promise<void>;
  readonly decline: (asked: Asked, comment?: string) => Promise<void>;
}

type Command = (words: string, room: Room) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  '/help': help,
  '/plan': plan,
  '/runs': runs,
  '/approve': approve,
  '/reject': reject,
  '/answer': answer,
  '/note': note,
  /** The name of `/note` in older versions. */
  '/tell': note,
  '/cancel': cancel,
  '/model': model,
};

/** True where the text was a command. `/quit` is the chat's own. */
export async function runCommand(text: string, room: Room): Promise<boolean> {
  const [, name = '', words = ''] = /^(\/[a-z]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? [];
  if (!text.startsWith('/') || text.startsWith('//')) return false;
  const command = COMMANDS[name];
  await (command === undefined
    ? room.say(room.texts.chat.unknownCommand(text.split(/\s/)[0] ?? ''))
    : command(words.trim(), room));
  return true;
}

async function help(_: string, { say, texts, style }: Room): Promise<void> {
  const width = Math.max(...texts.chat.help.map(([form]) => displayWidth(form)));
  const lines = texts.chat.help.map(
    ([form, about]) => `  ${style.bold(form)}${' '.repeat(width - displayWidth(form))}  ${about}`,
  );
  await say([...lines, style.dim(`  ${texts.chat.lines}`)].join('\n'));
}

async function plan(name: string, room: Room): Promise<void> {
  const { conversation, say, texts } = room;
  const draft = conversation
    .questions()
    .findLast(({ run, question }) => question.kind === 'plan_approval' && run.endsWith(name));
  if (draft !== undefined) return say(draftText(draft, room));
  const wanted = conversation.runs().filter(({ run }) => name === '' || run.endsWith(name));
  const found = await lastPlanned(wanted, conversation);
  const lines = found === undefined ? [] : planLines(found, texts);
  await say(
    lines.length === 0
      ? texts.chat.noPlan
      : [shortName(found?.run ?? ''), ...lines].map((line) => `  ${line}`).join('\n'),
  );
}

/** A plan that waits for a yes: it is the one that is spoken of. */
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

async function runs(_: string, { conversation, say, texts, style }: Room): Promise<void> {
  const all = conversation.runs();
  const lines = all.map((one) => {
    const { run, goal } = one;
    return `  ${style.bold(shortName(run))}  ${standingText(one, { texts, style })}  ${oneLine(goal, 60)}`;
  });
  await say(lines.length === 0 ? texts.chat.noRuns : lines.join('\n'));
}

/** How a run stands, in a word or two. */
export function standingText(
  { outcome, progress, problem }: ConversationRun,
  { texts, style }: Wording,
): string {
  if (problem !== undefined) return style.red(problem instanceof Error ? problem.message : String(problem));
  if (outcome === 'waiting') return style.yellow(texts.chat.waitsForYou);
  if (outcome === 'open') {
    const { steps } = progress ?? {};
    return style.cyan(steps === undefined ? texts.chat.underWay : texts.stepsDone(steps.done, steps.total));
  }
  const status = texts.words.statuses[outcome];
  return outcome === 'answered' ? style.green(status) : style.red(status);
}

async function approve(words: string, room: Room): Promise<void> {
  const open = room.conversation.questions().filter(({ question }) => isApproval(question));
  if (open.length === 0) return room.say(room.texts.chat.noApproval);
  const { asked, rest } = named(words, open);
  if (asked === undefined) return room.say(questionList(open, room));
  await room.answer(asked, 'approve', rest);
}

/** A no to a plan or a call; to any other question, that one will not say. */
async function reject(words: string, room: Room): Promise<void> {
  const open = room.conversation.questions();
  if (open.length === 0) return room.say(room.texts.chat.noQuestion);
  const approvals = open.filter(({ question }) => isApproval(question));
  const { asked, rest } = named(words, open, approvals.length === 1 ? approvals : open);
  if (asked === undefined) return room.say(questionList(open, room));
  if (isApproval(asked.question)) await room.answer(asked, 'reject', rest);
  else await room.decline(asked, rest);
}

/** The question that the first word names, or the only one that can be meant; and what was said besides. */
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

async function answer(words: string, room: Room): Promise<void> {
  const { conversation, say, texts } = room;
  const open = conversation.questions();
  const [first = '', ...others] = words.split(/\s+/);
  const meant = open.filter((asked) => isNamed(asked, first));
  const [asked] = meant;
  if (open.length === 0) return say(texts.chat.noQuestion);
  if (asked === undefined || meant.length > 1 || others.length === 0) return say(questionList(open, room));
  await room.answer(asked, words.slice(first.length).trim());
}

async function note(words: string, room: Room): Promise<void> {
  const { conversation, say, texts } = room;
  const [name = '', ...others] = words.split(/\s+/);
  const named = openRun(name, room);
  const found = named ?? onlyOpen(room);
  const text = named === undefined ? words : others.join(' ');
  if (found === undefined) return say(whichRun(room));
  if (text === '') return say(texts.chat.usage(texts.chat.noteForm));
  await conversation.tell(found.run, text);
  await say(texts.chat.told(shortName(found.run)));
}

async function cancel(words: string, room: Room): Promise<void> {
  const { conversation, say, texts } = room;
  const [name = '', ...others] = words.split(/\s+/);
  const named = openRun(name, room);
  const found = named ?? onlyOpen(room);
  if (found === undefined) return say(whichRun(room));
  const reason = named === undefined ? words : others.join(' ');
  await conversation.cancel(found.run, reason === '' ? texts.cancelReason : reason);
  await say(texts.chat.cancelled(shortName(found.run)));
}

async function model(name: string, { conversation, say, texts }: Room): Promise<void> {
  if (name === '') return say(texts.chat.model(conversation.model));
  await conversation.useModel(name);
  await say(texts.chat.modelNow(conversation.model));
}

function underWay({ conversation }: Room): ConversationRun[] {
  return conversation.runs().filter(({ outcome }) => outcome === 'open' || outcome === 'waiting');
}

function openRun(name: string, room: Room): ConversationRun | undefined {
  const found = underWay(room).filter(({ run }) => name.length >= 4 && run.endsWith(name));
  return found.length === 1 ? found[0] : undefined;
}

function onlyOpen(room: Room): ConversationRun | undefined {
  const open = underWay(room);
  return open.length === 1 ? open[0] : undefined;
}

function whichRun(room: Room): string {
  const names = underWay(room).map(({ run, goal }) => `${shortName(run)} (${oneLine(goal, 40)})`);
  return names.length === 0 ? room.texts.chat.noRuns : room.texts.chat.whichRun(names.join(', '));
}

/** `q1`, or `k3f9:q1` where two runs have a question of that name. */
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
  title = texts.chat.unclear,
): string {
  const lines = open.map((asked) => {
    const name = style.bold(texts.chat.answerWith(questionName(asked, open)));
    return `  ${name}  ${oneLine(asked.question.text, 80)}`;
  });
  return [title, ...lines].join('\n');
}
