import { useTexts } from '../shell/language.tsx';
import { texts } from './texts.ts';

export function Waiting() {
  const say = useTexts(texts);
  return (
    <p role="status" className="p-8 text-faint">
      {say.waiting}
    </p>
  );
}
