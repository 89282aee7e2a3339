import { type ReactNode, useState } from 'react';
import type { ProposedEntry, ReflectedEntry } from '#dandori/history/plan-history.ts';
import type { Brief, Usage } from '#dandori/model/decision.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { type Action, isStep, workOf } from '#dandori/model/task.ts';
import { clip } from '#dandori/model/text.ts';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { texts } from '../../texts/decisions.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { FailureView } from '../../ui/failure.tsx';
import { Label } from '../../ui/label.tsx';
import { Badge } from '../../ui/marks.tsx';
import { Message } from '../../ui/message.tsx';
import { RichText } from '../../ui/rich-text.tsx';
import { ClockTime } from '../../ui/time.tsx';
import type { DecisionEntry } from './decision-entries.ts';

interface DecisionProps {
  readonly run: string;
  readonly entry: DecisionEntry;
}

/** One decision: what was asked, the reasoning, the actions, and what it cost. */
export function DecisionView({ run, entry }: DecisionProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { asked, made, failed } = entry;
  const ended = made ?? failed;
  const title = `${word.decision(asked.decision)} · ${word.purposes[asked.purpose]}`;
  const marks = (
    <>
      {ended?.model !== undefined && <Badge>{ended.model}</Badge>}
      {ended === undefined && <Badge look="warn">{word.thinking}</Badge>}
      {ended !== undefined && (
        <span className="text-faint text-xs">
          {[durationText(ended.ms), ...(ended.usage ? [usageText(ended.usage, say)] : [])].join(' · ')}
        </span>
      )}
    </>
  );
  const wanted = asked.brief === undefined ? [] : briefTexts(asked.brief, say);
  return (
    <EntryFrame
      run={run}
      seq={entry.seq}
      at={entry.at}
      title={title}
      marks={marks}
      colour={failed === undefined ? 'border-l-accent' : 'border-l-bad'}
    >
      {wanted.length > 0 && (
        <p className="text-faint text-sm">
          <Label>{say.askedFor}</Label>
          {wanted.join(' · ')}
        </p>
      )}
      {made?.reasoning !== undefined && (
        <div className="text-sm">
          <RichText text={made.reasoning} />
        </div>
      )}
      {made?.operations !== undefined && made.operations.length > 0 && (
        <ActionList label={say.actions} actions={made.operations} />
      )}
      {made?.repaired !== undefined && (
        <p className="text-sm text-warn [overflow-wrap:anywhere]">
          <Label>{say.repaired}</Label>
          {made.repaired}
        </p>
      )}
      {failed !== undefined && <FailureView failure={failed.failure} />}
      {failed?.next !== undefined && <p className="text-sm">{say.fallback(failed.next)}</p>}
    </EntryFrame>
  );
}

type DecisionTexts = (typeof texts)['en'];

function usageText(usage: Usage, say: DecisionTexts): string {
  const { inputTokens, outputTokens, cachedInputTokens, cost, estimated } = usage;
  return [
    say.tokens(inputTokens, outputTokens),
    ...(cachedInputTokens === undefined || cachedInputTokens === 0 ? [] : [say.cached(cachedInputTokens)]),
    ...(cost === undefined ? [] : [`$${cost}`]),
    ...(estimated === true ? [say.estimated] : []),
  ].join(' · ');
}

function briefTexts({ steps, reflect, progress, loop, isContinued }: Brief, say: DecisionTexts): string[] {
  return [
    ...(steps === undefined ? [] : [say.steps(steps.join(', '))]),
    ...(reflect === undefined ? [] : [say.reflect[reflect]]),
    ...(progress === undefined ? [] : [say.progress(progress.done, progress.total)]),
    ...(loop === undefined ? [] : [say.loop]),
    ...(isContinued === true ? [say.raised] : []),
  ];
}

interface PlanEntryProps {
  readonly run: string;
  readonly entry: ProposedEntry;
  /** Dandori repaired this plan; the next entry is the repaired one. */
  readonly isMended: boolean;
}

/** A plan or a revision, and whether it was approved. */
export function PlanEntry({ run, entry, isMended }: PlanEntryProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { kind, version, by, tasks, revision, diagnostics = [], reason, isAccepted } = entry;
  const title = kind === 'revised' ? say.revised(version) : say.proposed(version);
  return (
    <EntryFrame
      run={run}
      seq={entry.seq}
      at={entry.at}
      title={title}
      marks={
        <>
          <span className="text-faint text-xs">{say.by[by]}</span>
          {isMended ? <Badge>{say.repairedNext}</Badge> : <Verdict entry={entry} />}
        </>
      }
      colour={isAccepted === false ? 'border-l-bad' : isAccepted === true ? 'border-l-good' : 'border-l-warn'}
    >
      {revision !== undefined && (
        <>
          <p className="text-sm [overflow-wrap:anywhere]">{revision.reason}</p>
          <ul className="flex flex-wrap gap-2 text-xs">
            {revision.changes.map(({ kind: change, task }) => (
              <li key={`${change} ${task}`}>
                <Badge>
                  {say.changes[change]} {task}
                </Badge>
              </li>
            ))}
          </ul>
        </>
      )}
      {reason !== undefined && reason !== '' && (
        <p className="text-sm [overflow-wrap:anywhere]">“{reason}”</p>
      )}
      {diagnostics.length > 0 && (
        <ul className="flex flex-col gap-1 border-bad border-l-2 pl-3 text-sm">
          {diagnostics.map(({ code, task, message, hint }) => (
            <li key={`${code} ${task} ${message}`} className="[overflow-wrap:anywhere]">
              <code className="text-bad">{code}</code> {task !== undefined && <code>{task}</code>}{' '}
              <Message text={message} />
              {hint !== undefined && (
                <span className="text-faint">
                  {' '}
                  (<Message text={hint} />)
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <ActionList label={word.tasks(tasks.length)} actions={tasks} />
    </EntryFrame>
  );
}

function Verdict({ entry: { isAccepted, isReplaced, reason } }: { readonly entry: ProposedEntry }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  if (isReplaced === true) return <Badge>{word.statuses.replaced}</Badge>;
  if (isAccepted === undefined) return <Badge look="warn">{say.notYet}</Badge>;
  if (isAccepted) return <Badge look="good">✓ {word.statuses.approved}</Badge>;
  return <Badge look="bad">✕ {reason === undefined ? say.refused : say.vetoed}</Badge>;
}

export function ReflectionEntry({ run, entry }: { readonly run: string; readonly entry: ReflectedEntry }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  return (
    <EntryFrame
      run={run}
      seq={entry.seq}
      at={entry.at}
      title={entry.trigger === 'evaluation' ? say.unmet : say.reflected}
      marks={
        <>
          <Badge look={entry.status === 'success' ? 'good' : entry.status === 'failure' ? 'bad' : 'warn'}>
            {word.reflections[entry.status]}
          </Badge>
          {entry.revisionNeeded && <Badge look="warn">{say.revisionNeeded}</Badge>}
          {entry.by === 'runtime' && <span className="text-faint text-xs">{say.byRuntime}</span>}
        </>
      }
    >
      <div className="text-sm">
        <RichText text={entry.evaluation} />
      </div>
    </EntryFrame>
  );
}

interface ActionListProps {
  readonly label: string;
  readonly actions: readonly Action[];
}

const SHOWN = 10;
const LONGEST = 400;

/** Actions with their arguments, one per line. */
function ActionList({ label, actions }: ActionListProps) {
  const { more } = useTexts(words);
  const [isWhole, setWhole] = useState(actions.length <= SHOWN);
  return (
    <div>
      <h4 className="text-faint text-xs">{label}</h4>
      <ul className="flex flex-col gap-1 font-mono text-xs">
        {(isWhole ? actions : actions.slice(0, SHOWN)).map((action) => (
          <li key={action.id} className="[overflow-wrap:anywhere]">
            <span className="text-faint">{action.id} </span>
            <span className="font-medium">{workOf(action)} </span>
            {!isStep(action) && (
              <span className="text-faint">{clip(stringifyJson(action.args), LONGEST)}</span>
            )}
            {action.reasoning !== undefined && (
              <span className="block pl-4 font-sans text-faint">{action.reasoning}</span>
            )}
          </li>
        ))}
      </ul>
      {!isWhole && (
        <Button look="bare" onClick={() => setWhole(true)}>
          {more(actions.length - SHOWN)}
        </Button>
      )}
    </div>
  );
}

interface EntryFrameProps {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly title: ReactNode;
  /** Shown beside the title. */
  readonly marks?: ReactNode;
  readonly colour?: string;
  readonly children?: ReactNode;
}

/** One entry of the list. */
export function EntryFrame({
  run,
  seq,
  at,
  title,
  marks,
  colour = 'border-l-line',
  children,
}: EntryFrameProps) {
  const say = useTexts(texts);
  return (
    <li className={`flex flex-col gap-2 rounded border border-line border-l-4 bg-sheet px-4 py-3 ${colour}`}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">{title}</h3>
        {marks}
        <Link
          to={{ at: 'run', run, view: 'decisions', seq }}
          className="ml-auto text-faint text-xs hover:underline"
        >
          <ClockTime at={at} /> #{seq}
          <span className="sr-only"> {say.moment}</span>
        </Link>
      </div>
      {children}
    </li>
  );
}
