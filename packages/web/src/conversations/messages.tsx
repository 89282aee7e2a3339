import { Fragment } from 'react';
import type { Talk } from '../live/talk.ts';
import { useTexts } from '../shell/language.tsx';
import { Button } from '../ui/button.tsx';
import { MessageView } from './message.tsx';
import { RunStrip } from './run-strip.tsx';
import { texts } from './texts.ts';
import { Writing } from './writing.tsx';

interface Props {
  readonly conversation: string;
  readonly talk: Talk;
  readonly onEarlier: () => Promise<void>;
}

/** What was said, with the run that each message has begun. */
export function Messages({ conversation, talk, onEarlier }: Props) {
  const say = useTexts(texts);
  const { messages, runs, writing, doing, missed } = talk;
  const begunBy = Map.groupBy(runs.values(), ({ message }) => message);
  return (
    <div className="flex flex-1 flex-col gap-4 pb-6">
      {talk.earlier !== undefined && (
        <Button className="self-center" onClick={() => void onEarlier()}>
          {say.earlier}
        </Button>
      )}
      <div role="log" aria-label={say.log} className="flex flex-col gap-4">
        {messages.map((message, index) => (
          <Fragment key={message.id}>
            <MessageView
              conversation={conversation}
              message={message}
              isMissed={missed.has(message.id)}
              isApart={message.run !== messages[index - 1]?.run}
              run={message.run === undefined ? undefined : runs.get(message.run)}
            />
            {begunBy.get(message.id)?.map((run) => (
              <RunStrip key={run.run} conversation={conversation} run={run} doing={doing.get(run.run)} />
            ))}
          </Fragment>
        ))}
      </div>
      {[...writing].map(([run, text]) => (
        <Writing
          key={run}
          text={text}
          goal={run === messages.at(-1)?.run ? undefined : runs.get(run)?.goal}
        />
      ))}
    </div>
  );
}
