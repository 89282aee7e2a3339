import type { RunClient } from '../../app/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { readPlanFile } from '../../plan/read.ts';
import type { Report } from '../../views/report.ts';
import { asTyped } from '../command-line.ts';
import { EXIT_USAGE } from '../exit-code.ts';
import { approveWith, type Edited, editorOf, editPlan } from '../questions/edit-plan.ts';
import { yesOrNo } from '../questions/prompts.ts';
import { oneLine, printable, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { findRun, openWorkplace } from '../workplace.ts';

export interface ApproveOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly user?: string;
  /** A plan file, or true for the editor. */
  readonly edit?: string | true;
}

interface Approving {
  readonly dandori: RunClient;
  readonly report: Report;
  readonly question: string | undefined;
  readonly texts: Texts;
}

/** Approves a waiting call or plan. With `--edit`, approves an edited plan instead. */
export async function approve(
  { run: name, question }: { run: string; question?: string | undefined },
  options: ApproveOptions,
): Promise<number> {
  // Compiling an edited plan needs the tools.
  await using dandori = await openWorkplace({
    configFile: options.config,
    tools: options.edit !== undefined,
  });
  const run = await findRun(name, dandori);
  const report = await dandori.report(run);
  const texts = textsFor({ language: dandori.config.language, goal: report.goal });
  const given = await approveOrEdit({ dandori, report, question, texts }, options);
  if (given === 'unchanged') return 0;
  if (given === 'invalid') return EXIT_USAGE;
  const { answered } = given;
  if (options.json === true)
    process.stdout.write(`${stringifyJson({ run, question: answered, approved: true })}\n`);
  else
    process.stderr.write(
      `${texts.plans.approved(answered)}\n${asTyped(texts.resumeUndriven(run), options.config)}\n`,
    );
  return 0;
}

/** The id of the answered question, or why none was answered. */
type ApproveResult = { readonly answered: string } | Exclude<Edited, 'approved'>;

async function approveOrEdit(
  approving: Approving,
  { edit, user: by }: ApproveOptions,
): Promise<ApproveResult> {
  const { dandori, question } = approving;
  const { run } = approving.report;
  if (edit === undefined) return { answered: await dandori.approve(run, question, { by }) };
  if (edit === true) return inEditor(approving, by);
  const asked = question === undefined ? {} : { question: { id: question } };
  return { answered: await approveWith(await readPlanFile(edit), { dandori, run, by, ...asked }) };
}

async function inEditor(
  { dandori, report: { run, goal, questions }, question, texts }: Approving,
  by: string | undefined,
): Promise<ApproveResult> {
  const editor = editorOf(process.env);
  const plans = questions.filter(({ kind, id }) => kind === 'plan_approval' && (question ?? id) === id);
  const [asked] = plans;
  if (asked === undefined) {
    throw new DandoriError('question-not-found', `No plan of the run ${run} waits for an approval.`, {
      fix: `See it with \`dandori show ${run}\`.`,
    });
  }
  const again = async () =>
    process.stdin.isTTY === true && (await yesOrNo({ message: texts.plans.again, texts })) === true;
  const edited = await editPlan({ dandori, run, goal, question: asked, texts, by, editor, again });
  return edited === 'approved' ? { answered: asked.id } : edited;
}

export interface RejectOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly user?: string;
  readonly reason?: string;
}

/** Rejects a waiting call or plan. The mind gets the reason. */
export async function reject(
  { run: name, question }: { run: string; question?: string | undefined },
  { config, json, user, reason }: RejectOptions,
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: config, tools: false });
  const run = await findRun(name, dandori);
  const { goal } = await dandori.report(run);
  const texts = textsFor({ language: dandori.config.language, goal });
  const answered = await dandori.reject(run, question, { by: user, reason });
  if (json === true) process.stdout.write(`${stringifyJson({ run, question: answered, approved: false })}\n`);
  else
    process.stderr.write(
      `${texts.plans.rejected(answered)}\n${asTyped(texts.resumeUndriven(run), config)}\n`,
    );
  return 0;
}

export interface ApprovalsOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly user?: string;
}

/** Lists the standing approvals of the user, or revokes some of them. */
export async function approvals(
  { action, ids }: { action: string | undefined; ids: readonly string[] },
  { config, json, user }: ApprovalsOptions,
): Promise<number> {
  if (action !== undefined && (action !== 'revoke' || ids.length === 0)) {
    throw new DandoriError('usage', `"approvals ${[action, ...ids].join(' ')}" is not a command.`, {
      fix: 'List them with `dandori approvals`, then `dandori approvals revoke ID`.',
    });
  }
  await using dandori = await openWorkplace({ configFile: config, tools: false });
  const texts = textsFor({ language: dandori.config.language });
  if (action === 'revoke') {
    for (const id of ids) {
      await dandori.revokeApproval(id, { user });
      if (json !== true) process.stderr.write(`${texts.approvals.revoked(id)}\n`);
    }
    if (json === true) process.stdout.write(`${stringifyJson({ revoked: ids })}\n`);
    return 0;
  }
  const found = await dandori.approvals({ user });
  if (json === true) process.stdout.write(`${stringifyJson({ approvals: found })}\n`);
  else if (found.length === 0) process.stderr.write(`${texts.approvals.none}\n`);
  else {
    const style = styleFor(process.stdout);
    for (const { id, operation, args, effect, at, run } of found) {
      const when = new Date(at).toLocaleString('sv-SE');
      const what = args === undefined ? texts.approvals.anyArguments : stringifyJson(args);
      process.stdout.write(
        `${id}  ${style.dim(when)}  ${printable(operation)} (${texts.words.effects[effect]})  ${oneLine(what, 80)}  ${style.dim(run)}\n`,
      );
    }
    process.stderr.write(`${asTyped(texts.approvals.howToRevoke(found[0]?.id ?? ''), config)}\n`);
  }
  return 0;
}
