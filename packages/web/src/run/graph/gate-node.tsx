import { memo } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

export const GateNode = memo(function GateNode() {
  const say = useTexts(texts);
  return (
    <div title={say.gate} className="h-full w-full rotate-45 border-2 border-warn bg-paper">
      <span className="sr-only">{say.gate}</span>
    </div>
  );
});
