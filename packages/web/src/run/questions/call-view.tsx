import type { Json, JsonObject } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly operation: string;
  readonly args: JsonObject;
}

/** A call with exactly what it is called with: each argument on its own line. */
export function CallView({ operation, args }: Props) {
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
                <Argument name={name} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** Longer texts are a tree's one leaf, which clips them. */
const LONG = 2_000;

function Argument({ name, value }: { readonly name: string; readonly value: Json }) {
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain && String(value).length <= LONG) return typeof value === 'string' ? value : String(value);
  return <JsonTree value={value} label={name} />;
}
