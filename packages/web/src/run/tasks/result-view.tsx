import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pathExpression } from '#dandori/history/save-as-plan.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { bytesText } from '#dandori/model/text.ts';
import type { Stored } from '#dandori/run/state/state.ts';
import { isPicture, type Media } from '#dandori/views/media.ts';
import type { ResultPart } from '#dandori/views/result-page.ts';
import { useLanguage, useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Waiting } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';

interface Props {
  readonly run: string;
  readonly task: string;
  readonly result: Stored;
}

/** A result as a tree; a large one page by page. */
export function ResultView({ run, task, result }: Props) {
  const say = useTexts(texts);
  const { language } = useLanguage();
  if ('value' in result) return <JsonTree key={task} value={result.value} label={say.result} />;
  const { bytes, shape, media = [] } = result.blob;
  return (
    <div className="flex flex-col gap-2">
      {media
        .filter(({ type }) => isPicture(type))
        .slice(0, MOST_PICTURES)
        .map((one) => (
          <Picture key={pathExpression(one.path)} run={run} task={task} picture={one} />
        ))}
      <p className="text-faint text-xs [overflow-wrap:anywhere]">
        {say.bytes(bytes.toLocaleString(language))}
        {shape !== undefined && ` · ${shape}`}
      </p>
      <PagedResult key={`${run} ${task}`} run={run} task={task} />
    </div>
  );
}

const MOST_PICTURES = 8;
/** Characters of base64. Larger pictures are not loaded. */
const LARGEST_PICTURE = 8_000_000;
/** Thousands of characters per request. */
const PIECE = 1_000;

interface PictureProps {
  readonly run: string;
  readonly task: string;
  readonly picture: Media;
}

function Picture({ run, task, picture }: PictureProps) {
  const say = useTexts(texts);
  const client = useClient();
  const { path, type, bytes } = picture;
  const name = `${type}, ${bytesText(bytes)}`;
  const { data, error, isPending } = useQuery({
    queryKey: ['picture', run, task, path],
    queryFn: async () => {
      let text = '';
      for (let total = 1; text.length < Math.min(total, LARGEST_PICTURE); ) {
        const part = await client.result(run, task, {
          path: pathExpression(path),
          offset: text.length,
          limit: PIECE,
        });
        if (part.kind !== 'text' || part.text === '') break;
        total = part.total;
        text += part.text;
      }
      return text;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending) return <Waiting />;
  if (data === undefined) return <Problem error={error} />;
  return (
    <figure className="flex flex-col gap-1">
      <img
        src={`data:${type};base64,${data}`}
        alt={say.picture(name)}
        className="max-h-96 max-w-full self-start rounded border border-line bg-paper object-contain"
      />
      <figcaption className="text-faint text-xs">{name}</figcaption>
    </figure>
  );
}

type Path = readonly (string | number)[];

interface Place {
  readonly path: Path;
  readonly offset: number;
}

/** Items per page, and thousands of characters per page of a text. */
const ITEMS = 100;
const THOUSANDS = 20;

/** A large result, one page at a time. */
function PagedResult({ run, task }: { readonly run: string; readonly task: string }) {
  const client = useClient();
  const [place, setPlace] = useState<Place>({ path: [], offset: 0 });
  const [isText, setText] = useState(false);
  const path = pathExpression(place.path);
  const limit = isText ? THOUSANDS : ITEMS;
  const { data, error, isPending } = useQuery({
    queryKey: ['result', run, task, path, place.offset, limit],
    queryFn: () => client.result(run, task, { path, offset: place.offset, limit }),
    // A result never changes.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const go = (to: Path, kind: 'list' | 'object' | 'text' = 'object') => {
    setText(kind === 'text');
    setPlace({ path: to, offset: 0 });
  };
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded border border-line bg-paper p-2">
      <Crumbs path={place.path} onGo={go} />
      <Problem error={error} />
      {isPending && <Waiting />}
      {data !== undefined && (
        <>
          <PartView part={data} onOpen={(key, kind) => go([...place.path, key], kind)} />
          <Pages part={data} offset={place.offset} onGo={(offset) => setPlace({ ...place, offset })} />
        </>
      )}
    </div>
  );
}

function Crumbs({ path, onGo }: { readonly path: Path; readonly onGo: (path: Path) => void }) {
  const say = useTexts(texts);
  return (
    <ol className="flex flex-wrap items-center gap-1 font-mono text-xs">
      {[say.whole, ...path].map((part, index) => (
        <li key={index} className="flex items-center gap-1">
          {index > 0 && <span aria-hidden="true">›</span>}
          {index === path.length ? (
            <span aria-current="location">{part}</span>
          ) : (
            <button
              type="button"
              onClick={() => onGo(path.slice(0, index))}
              className="text-accent underline"
            >
              {part}
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

interface PartProps {
  readonly part: ResultPart;
  readonly onOpen: (key: string | number, kind: 'list' | 'object' | 'text') => void;
}

function PartView({ part, onOpen }: PartProps) {
  const say = useTexts(texts);
  if (part.kind === 'plain') return <code className="text-sm">{String(part.value)}</code>;
  if (part.kind === 'text')
    return (
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto whitespace-pre-wrap text-xs [overflow-wrap:anywhere]"
      >
        {part.text}
      </pre>
    );
  return (
    <ul className="flex max-h-96 flex-col divide-y divide-line overflow-auto text-xs">
      {part.items.map((item) => (
        <li key={item.key} className="grid grid-cols-[minmax(3rem,auto)_minmax(0,1fr)] gap-2 py-1">
          <span className="max-w-40 break-words font-mono text-faint">{item.key}</span>
          {'value' in item ? (
            typeof item.value === 'object' && item.value !== null ? (
              <JsonTree value={item.value} label={String(item.key)} />
            ) : (
              <span className="whitespace-pre-wrap font-mono [overflow-wrap:anywhere]">
                {stringifyJson(item.value)}
              </span>
            )
          ) : (
            <Button
              look="bare"
              className="self-start p-0! text-left"
              onClick={() => onOpen(item.key, item.kind)}
            >
              {say.kinds[item.kind](item.total)} ›
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

interface PagesProps {
  readonly part: ResultPart;
  readonly offset: number;
  readonly onGo: (offset: number) => void;
}

function Pages({ part, offset, onGo }: PagesProps) {
  const say = useTexts(texts);
  if (part.kind === 'plain') return null;
  const size = part.kind === 'text' ? THOUSANDS * 1_000 : ITEMS;
  if (part.total <= size) return null;
  const end = Math.min(part.total, offset + size);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - size))}>
        {say.previous}
      </Button>
      <Button disabled={end >= part.total} onClick={() => onGo(offset + size)}>
        {say.next}
      </Button>
      <p role="status" className="text-faint text-xs">
        {(part.kind === 'text' ? say.characters : say.items)(offset + 1, end, part.total)}
      </p>
    </div>
  );
}
