import { type DragEvent, useRef } from 'react';
import type { Attachment } from '#dandori/model/task.ts';
import { bytesText } from '#dandori/model/text.ts';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';
import { Button } from './button.tsx';

/** Tells one choice of files from another, for request keys. */
export function identityOf(files: readonly File[]): readonly (readonly [string, number, number])[] {
  return files.map(({ name, size, lastModified }) => [name, size, lastModified]);
}

interface ChosenProps {
  readonly files: readonly File[];
  readonly onFiles: (files: readonly File[]) => void;
}

/** The files that are sent next, each with a button to remove it. */
export function ChosenFiles({ files, onFiles }: ChosenProps) {
  const word = useTexts(words);
  if (files.length === 0) return null;
  return (
    <ul aria-label={word.attachments} className="flex flex-wrap gap-2 text-sm">
      {files.map((file, index) => (
        <li key={index} className="flex items-center gap-2 rounded border border-line px-2 py-1">
          <span className="max-w-60 truncate">{file.name}</span>
          <span className="text-faint text-xs">{bytesText(file.size)}</span>
          <Button
            look="bare"
            className="p-0!"
            aria-label={word.detach(file.name)}
            onClick={() => onFiles(files.filter((one) => one !== file))}
          >
            ×
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The files that a run or a message has. */
export function AttachedFiles({ files }: { readonly files: readonly Attachment[] }) {
  const word = useTexts(words);
  if (files.length === 0) return null;
  return (
    <ul aria-label={word.attachments} className="flex flex-wrap gap-2 text-sm">
      {files.map(({ name, type, bytes }) => (
        <li key={name} className="rounded border border-line px-2 py-0.5">
          {name} <span className="text-faint text-xs">{`${type}, ${bytesText(bytes)}`}</span>
        </li>
      ))}
    </ul>
  );
}

export function FileButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const word = useTexts(words);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <Button look="bare" className="-mx-3" onClick={() => input.current?.click()}>
        {word.attach}
      </Button>
    </>
  );
}

/** Takes files that are dropped onto an element. */
export function dropOf(onFiles: (files: Iterable<File>) => void) {
  return {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      onFiles([...event.dataTransfer.files]);
    },
  };
}
