import type { ReactNode } from 'react';
import { Choice } from '../ui/choice.tsx';

interface Props<T extends string> {
  /** What the view can be shown as, the first by itself. */
  readonly shapes: readonly T[];
  readonly shape: T;
  readonly onShape: (shape: T) => void;
  readonly texts: { readonly shape: string; readonly shapes: Readonly<Record<T, string>> };
  readonly children: ReactNode;
}

/** Above a view of the run: what it is shown as, and what belongs to that. */
export function ViewHead<T extends string>({ shapes, shape, onShape, texts, children }: Props<T>) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-sm">
      <Choice
        label={texts.shape}
        value={shape}
        options={shapes}
        texts={texts.shapes}
        onChoose={onShape}
        isBare
      />
      {children}
    </div>
  );
}

interface SwitchProps {
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly text: string;
}

export function ViewSwitch({ isOn, onSwitch, text }: SwitchProps) {
  return (
    <label className="flex items-center gap-1.5">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onSwitch(target.checked)} />
      {text}
    </label>
  );
}

export function EmptyView({ text }: { readonly text: string }) {
  return <p className="rounded border border-line border-dashed p-8 text-center text-faint">{text}</p>;
}
