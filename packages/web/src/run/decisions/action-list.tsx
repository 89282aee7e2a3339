import { useState } from 'react';
import { stringifyJson } from '#dandori/model/json.ts';
import type { Action } from '#dandori/model/task.ts';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import { words } from '../../ui/words.ts';

interface Props {
  readonly label: string;
  readonly actions: readonly Action[];
}

const SHOWN = 10;
const LONGEST = 400;

/** Operations with their arguments, a line each. */
export function ActionList({ label, actions }: Props) {
  const { more } = useTexts(words);
  const [isWhole, setWhole] = useState(actions.length <= SHOWN);
  return (
    <div>
      <h4 className="text-faint text-xs">{label}</h4>
      <ul className="flex flex-col gap-1 font-mono text-xs">
        {(isWhole ? actions : actions.slice(0, SHOWN)).map((action) => (
          <li key={action.id} className="[overflow-wrap:anywhere]">
            <span className="text-faint">{action.id} </span>
            <span className="font-medium">{action.operation} </span>
            <span className="text-faint">{clipped(stringifyJson(action.args))}</span>
            {action.reasoning !== undefined && (
              <span className="block pl-4 font-sans text-faint">{action.reasoning}</span>
            )}
          </li>
        ))}
      </ul>
      {!isWhole && (
        <Button look="bare" onClick={() => setWhole(true)}>
          {more(actions.length - SHOWN)}
        </Button>
      )}
    </div>
  );
}

function clipped(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
