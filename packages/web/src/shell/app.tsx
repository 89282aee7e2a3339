import { lazy, Suspense } from 'react';
import { Waiting } from '../ui/waiting.tsx';
import { Boundary } from './boundary.tsx';
import { Frame } from './frame.tsx';
import { LanguageProvider, useTexts } from './language.tsx';
import { Queries } from './queries.tsx';
import { ReachNotice } from './reach-notice.tsx';
import { Link, type Route, useRoute } from './route.tsx';
import { SessionProvider } from './session.tsx';
import { texts } from './texts.ts';
import { keptTheme, showTheme } from './theme.ts';
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
                  <Here route={route} />
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

function Here({ route }: { readonly route: Route }) {
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
      return <Nowhere />;
  }
}

function Nowhere() {
  const say = useTexts(texts);
  return (
    <p className="p-8">
      {say.nowhere}{' '}
      <Link to={{ at: 'home' }} className="underline">
        {say.toHome}
      </Link>
    </p>
  );
}
