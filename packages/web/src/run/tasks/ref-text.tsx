import { Fragment } from 'react';
import { writeText } from '#dandori/model/task.ts';
import { mayHoldRef, parseTemplate, writeRef } from '#dandori/plan/refs.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly text: string;
  readonly onTask: (task: string) => void;
}

/** A text of a plan; its Refs lead to the tasks that they take from. */
export function RefText({ text, onTask }: Props) {
  const say = useTexts(texts);
  const parsed = mayHoldRef(text) ? parseTemplate(text) : undefined;
  if (parsed?.ok !== true) return text;
  return parsed.template.map((part, index) => (
    <Fragment key={index}>
      {typeof part === 'string' ? (
        writeText(part)
      ) : (
        <button
          type="button"
          title={say.goTask(part.task)}
          onClick={(event) => {
            event.stopPropagation();
            onTask(part.task);
          }}
          className="rounded bg-sunken px-1 text-accent underline"
        >
          {writeRef(part)}
        </button>
      )}
    </Fragment>
  ));
}
