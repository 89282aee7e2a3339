import { type KeyboardEvent, type RefObject, useId, useRef, useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/plan.ts';
import { INDENT, indentAt, indented } from './source-lines.ts';

interface LineMark {
  readonly line: number;
  readonly look: 'bad' | 'warn';
}

interface Props {
  readonly text: string;
  readonly onChange?: ((text: string) => void) | undefined;
  readonly marks: readonly LineMark[];
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

export const LINE_HEIGHT = 20;
const PADDING = 8;
/** Extra lines, so that quick scrolling shows no empty ones. */
const SPARE = 20;

/** A text field with line numbers. Read-only without `onChange`. */
export function SourceEditor({ text, onChange, marks, field }: Props) {
  const say = useTexts(texts);
  const hint = useId();
  const [scroll, setScroll] = useState(0);
  // After Esc, the next Tab leaves the field.
  const isLeaving = useRef(false);
  const lines = text.split('\n').length;
  const height = Math.min(Math.max(lines, 8), 28) * LINE_HEIGHT + 2 * PADDING;
  const byLine = new Map(marks.toReversed().map(({ line, look }) => [line, look]));
  const first = Math.max(0, Math.floor(scroll / LINE_HEIGHT) - SPARE);
  const last = Math.min(lines, Math.ceil((scroll + height) / LINE_HEIGHT) + SPARE);
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (onChange === undefined) return;
    if (event.key === 'Escape') isLeaving.current = true;
    else if (event.key === 'Tab' && !isLeaving.current) indent(event);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) breakLine(event);
    else if (event.key !== 'Shift') isLeaving.current = false;
  };
  return (
    <div>
      <div
        className="relative flex overflow-hidden rounded border border-line bg-paper font-mono text-[13px] focus-within:border-accent"
        style={{ height }}
      >
        <div aria-hidden="true" className="pointer-events-none absolute inset-0 overflow-hidden">
          {Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index + 1).map((line) => (
            <div
              key={line}
              className={`absolute w-full ${byLine.has(line) ? 'bg-sunken' : ''}`}
              style={{ top: (line - 1) * LINE_HEIGHT + PADDING - scroll, height: LINE_HEIGHT }}
            >
              <span
                className={`inline-block w-12 pr-2 text-right leading-5 ${byLine.get(line) === 'bad' ? 'font-bold text-bad' : byLine.has(line) ? 'font-bold text-warn' : 'text-faint'}`}
              >
                {byLine.has(line) && (byLine.get(line) === 'bad' ? '✕ ' : '⚠ ')}
                {line}
              </span>
            </div>
          ))}
        </div>
        <textarea
          ref={field}
          value={text}
          readOnly={onChange === undefined}
          onChange={({ target }) => onChange?.(target.value)}
          onKeyDown={press}
          onBlur={() => {
            isLeaving.current = false;
          }}
          onScroll={({ currentTarget }) => setScroll(currentTarget.scrollTop)}
          aria-label={say.source}
          {...(onChange !== undefined && { 'aria-describedby': hint })}
          aria-invalid={marks.some(({ look }) => look === 'bad')}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          className="relative ml-12 flex-1 resize-none border-line border-l bg-transparent px-2 leading-5 outline-none"
          style={{ paddingTop: PADDING, paddingBottom: PADDING }}
        />
      </div>
      {onChange !== undefined && (
        <p id={hint} className="mt-1 text-faint text-xs">
          {say.keys}
        </p>
      )}
    </div>
  );
}

function indent(event: KeyboardEvent<HTMLTextAreaElement>): void {
  event.preventDefault();
  const field = event.currentTarget;
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (start === end && !event.shiftKey) {
    type(field, INDENT);
    return;
  }
  const moved = indented(value, { start, end, isOut: event.shiftKey });
  field.setSelectionRange(moved.from, moved.to);
  type(field, moved.text);
  field.setSelectionRange(moved.from, moved.from + moved.text.length);
}

function breakLine(event: KeyboardEvent<HTMLTextAreaElement>): void {
  event.preventDefault();
  const field = event.currentTarget;
  type(field, `\n${indentAt(field.value, field.selectionStart)}`);
}

/** Inserts the text as if it were typed, so that it can be undone. There is no newer API for that. */
function type(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  document.execCommand('insertText', false, text);
}
