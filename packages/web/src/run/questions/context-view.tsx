import { asText, isObject, type Json, type JsonObject, stringifyJson } from '#dandori/model/json.ts';
import { estimate } from '#dandori/model/plan.ts';
import { callAbout, isAboutStep, reversibility, type TrustAbout } from '#dandori/model/question.ts';
import { effect } from '#dandori/model/tool.ts';
import { hostIn } from '#dandori/run/trust/find-value.ts';
import { originText } from '#dandori/views/trust.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/questions.ts';
import { words } from '../../texts/words.ts';
import { JsonTree } from '../../ui/json-tree.tsx';
import { EffectMark } from '../../ui/marks.tsx';
import { EstimateView } from '../plan/estimate-view.tsx';

/** What the user must know to answer: the call, its effect, and the reasoning. */
export function ContextView({ context }: { readonly context: Json | undefined }) {
  const word = useTexts(words);
  const say = useTexts(texts).context;
  if (context === undefined || context === null) return null;
  if (isAboutStep({ context })) return null;
  if (!isObject(context))
    return typeof context === 'object' ? (
      <JsonTree value={context} label={say.other} />
    ) : (
      <p className="text-sm [overflow-wrap:anywhere]">{String(context)}</p>
    );
  const {
    operation,
    args,
    effect: does,
    plan,
    reasoning,
    attempt,
    input,
    probe,
    done,
    open,
    preview: _preview,
    previewFailed,
    trust: _trust,
    pattern: _pattern,
    similar,
    also: _also,
    planned: _planned,
    ...others
  } = context;
  const call = callAbout.safeParse(context);
  const preview = call.data?.preview;
  const known = effect.safeParse(does);
  const whole = estimate.safeParse(plan);
  const facts: readonly (readonly [string, Json | undefined])[] = [
    [word.reasoning, reasoning],
    [say.attempt, attempt],
    [say.input, input],
    [say.probe, probe],
    [say.previewFailed, previewFailed],
    [say.similar, similar],
  ];
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {preview !== undefined && <PreviewView summary={preview.summary} diff={preview.diff} />}
      {call.data?.trust !== undefined && <TrustView trust={call.data.trust} args={call.data.args} />}
      {typeof operation === 'string' && (
        <CallView operation={operation} args={isObject(args) ? args : {}} trust={call.data?.trust} />
      )}
      {call.data?.also?.map((one) => (
        <section key={one.task} aria-label={say.also} className="flex min-w-0 flex-col gap-2">
          <p className="text-faint text-sm">{say.also}</p>
          <CallView operation={call.data.operation} args={one.args} trust={one.trust} />
        </section>
      ))}
      <dl className="flex flex-col gap-1 text-sm">
        {known.success && (
          <Row name={say.effect}>
            <EffectMark effect={known.data} />
          </Row>
        )}
        {call.success && <Row name={say.reversible}>{word.undo[reversibility(call.data)]}</Row>}
        {facts
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <Row key={name} name={name}>
              {asText(value)}
            </Row>
          ))}
        {Array.isArray(done) && (
          <Row name={say.done}>
            <Calls calls={done} />
          </Row>
        )}
        {call.data?.planned !== undefined && (
          <Row name={say.planned}>
            <ul className="flex flex-wrap gap-x-3">
              {call.data.planned.map((one) => (
                <li key={`${one.effect} ${one.operation}`}>
                  {one.operation} <EffectMark effect={one.effect} />
                  {one.calls > 1 && ` ×${one.calls}`}
                </li>
              ))}
            </ul>
          </Row>
        )}
        {isObject(open) && (
          <Row name={say.open}>
            <Calls calls={[open]} />
          </Row>
        )}
      </dl>
      {Object.keys(others).length > 0 && <JsonTree value={others} label={say.other} />}
      {whole.success && whole.data.calls > 1 && (
        <details className="text-sm">
          <summary className="cursor-pointer text-faint">{say.wholePlan}</summary>
          <EstimateView estimate={whole.data} />
        </details>
      )}
    </div>
  );
}

interface TrustProps {
  readonly trust: TrustAbout;
  /** The arguments of the call, if they are shown with the place where each was read. */
  readonly args?: JsonObject;
}

/** Why the call is asked about, and the values that are not shown with the call. */
export function TrustView({ trust, args = {} }: TrustProps) {
  const word = useTexts(words);
  const values = trust.values.filter(({ argument }) => !Object.hasOwn(args, argument));
  return (
    <section className="flex min-w-0 flex-col gap-2 rounded border border-warn p-3 text-sm">
      <p className="font-medium text-warn">{word.trust.because[trust.because]}</p>
      <ul className="flex min-w-0 flex-col gap-2 empty:hidden">
        {values.map((value) => (
          <li key={value.argument} className="min-w-0 [overflow-wrap:anywhere]">
            <span className="font-mono text-faint">{value.argument}</span>{' '}
            <span className={originLook(value)}>{value.value}</span>
            <OriginView value={value} />
          </li>
        ))}
      </ul>
      {trust.flags?.map(({ task, operation, quote }) => (
        <p key={task} className="text-warn text-xs [overflow-wrap:anywhere]">
          {word.trust.flagged(operation, task, quote)}
        </p>
      ))}
      {trust.unseen !== undefined && <p className="text-warn text-xs">{word.trust.unseen(trust.unseen)}</p>}
    </section>
  );
}

type Origin = TrustAbout['values'][number];

function originLook({ isInGoal }: Origin): string {
  return isInGoal === true ? 'font-mono text-good' : 'font-mono text-bad';
}

/** Where a value was read. */
function OriginView({ value }: { readonly value: Origin }) {
  const word = useTexts(words);
  return (
    <>
      <span className="block font-sans text-faint text-xs">
        {originText({ ...value, quote: undefined }, word)}
      </span>
      {value.quote !== undefined && <Quote text={value.quote} value={value.value} />}
    </>
  );
}

/**
 * The words around a value, with the value marked. `placeIn` returns the quote in lower case, so the search ignores
 * case.
 */
function Quote({ text, value }: { readonly text: string; readonly value: string }) {
  const all = text.toLowerCase();
  // Of an address that the model put together, the host may be what was read.
  const wanted =
    [value.toLowerCase(), hostIn(value)?.toLowerCase() ?? ''].find(
      (one) => one !== '' && all.includes(one),
    ) ?? '';
  const at = wanted === '' ? -1 : all.indexOf(wanted);
  if (at < 0)
    return <blockquote className="border-line border-l-4 pl-2 font-sans text-xs">{text}</blockquote>;
  const end = at + wanted.length;
  return (
    <blockquote className="border-line border-l-4 pl-2 font-sans text-xs">
      {text.slice(0, at)}
      <mark className="bg-transparent font-semibold text-bad">{text.slice(at, end)}</mark>
      {text.slice(end)}
    </blockquote>
  );
}

/** What the tool says about its call: beside the arguments, never instead of them. */
function PreviewView({ summary, diff }: { readonly summary: string; readonly diff: string | undefined }) {
  const say = useTexts(texts).context;
  return (
    <section aria-label={say.preview} className="flex min-w-0 flex-col gap-1 text-sm">
      <p className="[overflow-wrap:anywhere]">
        <span className="text-faint">{say.preview}</span> {summary}
      </p>
      {diff !== undefined && (
        <pre className="max-h-80 overflow-auto rounded border border-line bg-paper p-2 text-xs">
          {withoutRule(diff).map((line, index) => (
            // Equal lines differ only by index, and the diff never changes.
            <div key={index} className={diffLook(line)}>
              {line === '' ? ' ' : line}
            </div>
          ))}
        </pre>
      )}
    </section>
  );
}

/** Some diffs begin with a line of equals signs, which says nothing. */
function withoutRule(diff: string): string[] {
  return diff.replace(/^=+\n/, '').trimEnd().split('\n');
}

function diffLook(line: string): string {
  if (line.startsWith('+')) return 'text-good';
  if (line.startsWith('-')) return 'text-bad';
  return line.startsWith('@@') ? 'text-faint' : '';
}

/** The calls of a service before it was interrupted. */
function Calls({ calls }: { readonly calls: readonly Json[] }) {
  return (
    <ul>
      {calls
        .filter((call) => isObject(call))
        .map(({ operation, args }, index) => (
          // Equal calls differ only by index, and the list never changes.
          <li key={index}>
            {String(operation)} <code className="text-faint text-xs">{stringifyJson(args)}</code>
          </li>
        ))}
    </ul>
  );
}

export function Row({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

interface Props {
  readonly operation: string;
  readonly args: JsonObject;
  readonly trust?: TrustAbout | undefined;
}

/** A call with its exact arguments, one per line, and beneath each where it was read. */
function CallView({ operation, args, trust }: Props) {
  const say = useTexts(texts).context;
  const entries = Object.entries(args);
  return (
    <div className="min-w-0 rounded border border-line bg-paper p-3 text-sm">
      <p className="font-medium font-mono [overflow-wrap:anywhere]">{operation}</p>
      {entries.length === 0 ? (
        <p className="text-faint text-xs">{say.noArgs}</p>
      ) : (
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
          {entries.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="font-mono text-faint">{name}</dt>
              <dd className="min-w-0 whitespace-pre-wrap font-mono [overflow-wrap:anywhere]">
                <Sourced
                  name={name}
                  value={value}
                  origin={trust?.values.find(({ argument }) => argument === name)}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

interface SourcedProps {
  readonly name: string;
  readonly value: Json;
  readonly origin: Origin | undefined;
}

function Sourced({ name, value, origin }: SourcedProps) {
  if (origin === undefined) return <Argument name={name} value={value} />;
  return (
    <>
      <div className={originLook(origin)}>
        <Argument name={name} value={value} />
      </div>
      <OriginView value={origin} />
    </>
  );
}

/** Longer texts are shown as a tree, which clips them. */
const LONG = 2_000;

function Argument({ name, value }: { readonly name: string; readonly value: Json }) {
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain && String(value).length <= LONG) return typeof value === 'string' ? value : String(value);
  return <JsonTree value={value} label={name} />;
}
