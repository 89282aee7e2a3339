import { Fragment, useState } from 'react';
import { assertNever } from '#dandori/model/error.ts';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';
import { Button } from './button.tsx';
import { type Block, blocksOf, type Piece, piecesOf } from './markdown.ts';

/** Text of a model or a user as Markdown. Every word becomes a text node, so nothing in it can become markup. */
export function RichText({ text }: { readonly text: string }) {
  return (
    <div className="flex flex-col gap-2 [overflow-wrap:anywhere]">
      {blocksOf(text).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === 'code')
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      <pre tabIndex={0} className="overflow-x-auto rounded bg-sunken p-3 font-mono text-sm">
        {block.text}
      </pre>
    );
  if (block.kind === 'list') {
    const List = block.isNumbered ? 'ol' : 'ul';
    return (
      <List className={`flex flex-col gap-1 pl-6 ${block.isNumbered ? 'list-decimal' : 'list-disc'}`}>
        {block.items.map((item, index) => (
          <li key={index} className="whitespace-pre-line">
            <Pieces text={item} />
          </li>
        ))}
      </List>
    );
  }
  if (block.kind === 'table') return <Table {...block} />;
  if (block.kind === 'quote')
    return (
      <blockquote className="whitespace-pre-wrap border-line border-l-4 pl-3 text-faint">
        <Pieces text={block.text} />
      </blockquote>
    );
  return (
    <p className={`whitespace-pre-wrap ${block.kind === 'heading' ? 'font-semibold' : ''}`}>
      <Pieces text={block.text} />
    </p>
  );
}

function Table({ head, rows }: Block & { readonly kind: 'table' }) {
  const cell = 'border border-line px-3 py-1 text-left align-top';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div tabIndex={0} className="overflow-x-auto [overflow-wrap:normal]">
      <table className="text-sm">
        <thead>
          <tr>
            {head.map((text, index) => (
              <th key={index} scope="col" className={`${cell} font-semibold`}>
                <Pieces text={text} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.slice(0, head.length).map((text, index) => (
                <td key={index} className={cell}>
                  <Pieces text={text} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pieces({ text }: { readonly text: string }) {
  return piecesOf(text).map((piece, index) => <Fragment key={index}>{pieceView(piece)}</Fragment>);
}

function pieceView({ kind, text }: Piece) {
  switch (kind) {
    case 'code':
      return <code className="rounded bg-sunken px-1 font-mono text-[0.9em]">{text}</code>;
    case 'strong':
      return <strong>{text}</strong>;
    case 'stressed':
      return <em>{text}</em>;
    case 'link':
      return (
        <a href={text} target="_blank" rel="noreferrer noopener" className="text-accent underline">
          {text}
        </a>
      );
    case 'text':
      return text;
    default:
      return assertNever(kind);
  }
}

/** A long text: its beginning, and the rest on demand. */
export function LongText({ text }: { readonly text: string }) {
  const say = useTexts(words);
  const [isWhole, setWhole] = useState(false);
  const beginning = beginningOf(text);
  if (beginning === text) return <RichText text={text} />;
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        <RichText text={isWhole ? text : `${beginning} …`} />
      </div>
      <Button aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? say.less : say.wholeText(text.length)}
      </Button>
    </div>
  );
}

const LINES = 20;
const CHARACTERS = 2_500;

/** The beginning of a long text; the whole text if it is only a little longer. */
export function beginningOf(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= LINES * 1.5 && text.length <= CHARACTERS * 1.5) return text;
  const beginning = lines.slice(0, LINES).join('\n').slice(0, CHARACTERS);
  // Does not cut a surrogate pair.
  return beginning.replace(/[\ud800-\udbff]$/, '').trimEnd();
}
