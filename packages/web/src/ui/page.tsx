import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** What stands beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A view with a heading. */
export function Page({ title, actions, children }: Props) {
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-1 flex-col gap-6 px-4 py-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h1 className="min-w-0 break-words font-semibold text-xl">{title}</h1>
        {actions}
      </div>
      {children}
    </div>
  );
}
