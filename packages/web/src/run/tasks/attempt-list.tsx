import { stringifyJson } from '#dandori/model/json.ts';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/tasks.ts';
import { words } from '../../texts/words.ts';
import { FailureView } from '../../ui/failure.tsx';
import { Label } from '../../ui/label.tsx';
import { StatusMark } from '../../ui/marks.tsx';
import { Message } from '../../ui/message.tsx';
import { ClockTime } from '../../ui/time.tsx';
import type { Attempt, InnerCall, Probe } from './attempts.ts';

/** The attempts of a task with their outcomes and outcome checks. */
export function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  return (
    <ol className="flex flex-col gap-2">
      {attempts.map((attempt) => (
        <li key={attempt.attempt} className="flex flex-col gap-1 text-sm">
          <div className="flex flex-wrap items-center gap-x-3">
            <span className="font-medium">{word.attempt(attempt.attempt)}</span>
            <Ending attempt={attempt} />
            <span className="text-faint text-xs">
              <ClockTime at={attempt.startedAt} />
            </span>
          </div>
          {attempt.ended?.kind === 'failed' && <FailureView failure={attempt.ended.failure} />}
          {attempt.ended?.kind === 'in_doubt' && (
            <p className="border-warn border-l-2 pl-3 [overflow-wrap:anywhere]">
              {say.inDoubt[attempt.ended.cause]} <Message text={attempt.ended.message} />
            </p>
          )}
          {attempt.ended !== undefined &&
            'unstopped' in attempt.ended &&
            attempt.ended.unstopped === true && <p className="text-warn">{say.unstopped}</p>}
          {attempt.calls.length > 0 && <InnerCalls attempt={attempt} />}
          {attempt.questions.map(({ id, text }) => (
            <p key={id} className="text-faint [overflow-wrap:anywhere]">
              <Label>{say.asked}</Label>
              {text}
            </p>
          ))}
          {attempt.probes.map((probe) => (
            <ProbeLine key={`${probe.operation} ${probe.ended?.ms}`} probe={probe} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function Ending({ attempt: { ended } }: { readonly attempt: Attempt }) {
  if (ended === undefined) return <StatusMark status="running" />;
  return (
    <>
      <StatusMark status={ended.kind} />
      {'ms' in ended && <span className="text-faint text-xs">{durationText(ended.ms)}</span>}
    </>
  );
}

/** The calls that a service made while the task ran. */
function InnerCalls({ attempt: { calls, ended } }: { readonly attempt: Attempt }) {
  const say = useTexts(texts);
  return (
    <div className="border-line border-l-2 pl-3">
      <p className="text-faint">{say.calls(calls.length)}</p>
      <ul>
        {calls.map((call) => (
          <li
            key={`${call.key} ${call.ended?.ms}`}
            className="flex flex-wrap items-center gap-x-2 [overflow-wrap:anywhere]"
          >
            <StatusMark status={statusOf(call, ended !== undefined)} />
            {call.operation} <code className="text-faint text-xs">{stringifyJson(call.args)}</code>
            <Message text={call.ended?.failure?.message ?? call.ended?.lost?.message} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function statusOf({ ended }: InnerCall, isOver: boolean): 'running' | 'succeeded' | 'failed' | 'in_doubt' {
  if (ended === undefined) return isOver ? 'in_doubt' : 'running';
  if (ended.lost !== undefined) return 'in_doubt';
  return ended.failure === undefined && ended.ambiguous === undefined ? 'succeeded' : 'failed';
}

function ProbeLine({ probe: { operation, args, ended } }: { readonly probe: Probe }) {
  const say = useTexts(texts);
  return (
    <p className="border-line border-l-2 pl-3 [overflow-wrap:anywhere]">
      {say.probe(operation)} <code className="text-faint text-xs">{stringifyJson(args)}</code>:{' '}
      {ended === undefined ? say.running : say.found[ended.found]} <Message text={ended?.message} />
    </p>
  );
}
