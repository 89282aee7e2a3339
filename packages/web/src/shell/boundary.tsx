import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { useTexts } from './language.tsx';
import { texts } from './texts.ts';

/** A view that fails takes nothing else with it. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <Failed error={this.state.error} onAgain={() => this.setState({ error: undefined })} />;
  }
}

function Failed({ error, onAgain }: { readonly error: unknown; readonly onAgain: () => void }) {
  const say = useTexts(texts);
  return (
    <div role="alert" className="m-8 flex flex-col items-start gap-3">
      <p>{say.failed}</p>
      <pre className="max-w-full overflow-auto text-bad text-sm">
        {error instanceof Error ? error.message : String(error)}
      </pre>
      <Button onClick={onAgain}>{say.again}</Button>
    </div>
  );
}
