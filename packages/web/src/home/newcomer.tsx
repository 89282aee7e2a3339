import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useTools } from '../tools/use-tools.ts';
import { Button } from '../ui/button.tsx';
import { texts } from './texts.ts';

/** For who has run nothing yet. */
export function Newcomer({ onPropose }: { readonly onPropose: (goal: string) => void }) {
  const say = useTexts(texts).newcomer;
  const { data } = useTools();
  return (
    <section className="flex flex-col items-center gap-4 py-6 text-center">
      <h2 className="font-semibold text-lg">{say.title}</h2>
      <p className="max-w-prose text-faint">{say.text}</p>
      <p className="text-faint text-sm">{say.examples}</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {say.goals.map((goal) => (
          <li key={goal}>
            <Button onClick={() => onPropose(goal)}>{goal}</Button>
          </li>
        ))}
      </ul>
      {data !== undefined && (
        <p className="text-faint text-sm">
          {data.tools.length === 0 ? say.noTools : say.tools(data.tools.length)}{' '}
          <Link to={{ at: 'tools' }} className="text-accent underline">
            {say.toTools}
          </Link>
        </p>
      )}
    </section>
  );
}
