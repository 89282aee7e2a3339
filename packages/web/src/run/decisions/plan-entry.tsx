import type { ProposedEntry, ReflectedEntry } from '#dandori/history/plan-history.ts';
import { useTexts } from '../../shell/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { RichText } from '../../ui/rich-text.tsx';
import { ActionList } from './action-list.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly entry: ProposedEntry;
  /** The runtime has corrected it, and the next one stands for it. */
  readonly isMended: boolean;
}

/** A plan or a change of one, and what became of it. */
export function PlanEntry({ run, entry, isMended }: Props) {
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
          {isMended ? <Badge>{say.mended}</Badge> : <Verdict entry={entry} />}
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
              <code className="text-bad">{code}</code> {task !== undefined && <code>{task}</code>} {message}
              {hint !== undefined && <span className="text-faint"> ({hint})</span>}
            </li>
          ))}
        </ul>
      )}
      <ActionList label={say.tasks(tasks.length)} actions={tasks} />
    </EntryFrame>
  );
}

function Verdict({ entry: { isAccepted, isReplaced, reason } }: { readonly entry: ProposedEntry }) {
  const say = useTexts(texts);
  if (isReplaced === true) return <Badge>{say.replaced}</Badge>;
  if (isAccepted === undefined) return <Badge look="warn">{say.notYet}</Badge>;
  if (isAccepted) return <Badge look="good">✓ {say.accepted}</Badge>;
  return <Badge look="bad">✕ {reason === undefined ? say.refused : say.vetoed}</Badge>;
}

export function ReflectionEntry({ run, entry }: { readonly run: string; readonly entry: ReflectedEntry }) {
  const say = useTexts(texts);
  return (
    <EntryFrame
      run={run}
      seq={entry.seq}
      at={entry.at}
      title={say.reflected}
      marks={
        <>
          <Badge look={entry.status === 'success' ? 'good' : entry.status === 'failure' ? 'bad' : 'warn'}>
            {say.reflection[entry.status]}
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
