import { Component, lazy, type ReactNode, Suspense } from 'react';
import { assertNever, messageOf } from '#dandori/model/error.ts';
import { texts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Waiting } from '../ui/page.tsx';
import { ReachNotice } from './connection.tsx';
import { Frame } from './frame.tsx';
import { LanguageProvider, useTexts } from './language.tsx';
import { keptTheme, showTheme } from './preferences.tsx';
import { Queries } from './queries.tsx';
import { Link, type Route, useRoute } from './route.tsx';
import { SessionProvider } from './session.tsx';
import { TokenGate } from './token-gate.tsx';

const Home = lazy(() => import('../home/home.tsx'));
const RunPage = lazy(() => import('../run/run-page.tsx'));
const Conversations = lazy(() => import('../conversations/conversations.tsx'));
const Conversation = lazy(() => import('../conversations/conversation.tsx'));
const Dashboard = lazy(() => import('../dashboard/dashboard.tsx'));
const Tools = lazy(() => import('../tools/tools.tsx'));

showTheme(keptTheme());

export function App() {
  const route = useRoute();
  return (
    <LanguageProvider>
      <SessionProvider>
        <Queries>
          <TokenGate>
            <Frame>
              <Boundary key={route.at}>
                <Suspense fallback={<Waiting />}>
                  <CurrentPage route={route} />
                </Suspense>
              </Boundary>
            </Frame>
          </TokenGate>
          <ReachNotice />
        </Queries>
      </SessionProvider>
    </LanguageProvider>
  );
}

function CurrentPage({ route }: { readonly route: Route }) {
  switch (route.at) {
    case 'home':
      return <Home query={route.query ?? {}} />;
    case 'run':
      return <RunPage key={route.run} run={route.run} view={route.view} seq={route.seq} />;
    case 'conversations':
      return <Conversations />;
    case 'conversation':
      return <Conversation key={route.conversation} conversation={route.conversation} />;
    case 'dashboard':
      return <Dashboard query={route.query ?? {}} />;
    case 'tools':
      return <Tools query={route.query ?? {}} />;
    case 'nowhere':
      return <NotFound />;
    default:
      return assertNever(route);
  }
}

function NotFound() {
  const say = useTexts(texts);
  return (
    <p className="p-8">
      {say.notFound}{' '}
      <Link to={{ at: 'home' }} className="underline">
        {say.toHome}
      </Link>
    </p>
  );
}

/** A view that fails does not break the rest of the page. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <Failed error={this.state.error} onAgain={() => this.setState({ error: undefined })} />;
  }
}

/** What browsers say if a file of the page cannot be loaded. After an upgrade the server has other files. */
const NOT_LOADED = /dynamically imported module|importing a module script/i;

function Failed({ error, onAgain }: { readonly error: unknown; readonly onAgain: () => void }) {
  const say = useTexts(texts);
  const message = messageOf(error);
  const isNotLoaded = NOT_LOADED.test(message);
  return (
    <div role="alert" className="m-8 flex flex-col items-start gap-3">
      <p>{isNotLoaded ? say.notLoaded : say.failed}</p>
      <pre className="max-w-full overflow-auto text-bad text-sm">{message}</pre>
      {isNotLoaded ? (
        // React remembers the failed import, so nothing less helps.
        <Button onClick={() => window.location.reload()}>{say.reload}</Button>
      ) : (
        <Button onClick={onAgain}>{say.retry}</Button>
      )}
    </div>
  );
}
