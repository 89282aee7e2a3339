import { useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import { beginningOf } from './beginning.ts';
import { Button } from './button.tsx';
import { RichText } from './rich-text.tsx';
import { words } from './words.ts';

/** What a model wrote, however long: its beginning, and the rest on demand. */
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
        {isWhole ? say.less : say.all(text.length)}
      </Button>
    </div>
  );
}
