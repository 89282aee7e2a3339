import { useQuery } from '@tanstack/react-query';
import type { Overview } from '#dandori/store/dispatcher/worker-overview.ts';
import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/dashboard.ts';
import { Scroller } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';

const EVERY_MS = 5_000;
/** The most runs of a process that are shown as links. */
const MOST_LINKS = 5;

/** The processes that drive runs, their leases, and the queue. Only admins may see them. */
export function Workers() {
  const { workers: say } = useTexts(texts);
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['workers'],
    queryFn: () => client.workers(),
    refetchInterval: EVERY_MS,
    retry: false,
  });
  if (data === undefined) return null;
  return (
    <section aria-labelledby="workers" className="flex flex-col gap-2">
      <h2 id="workers" className="font-semibold">
        {say.title}
      </h2>
      <p className="text-faint text-sm">{say.queue(data.queue)}</p>
      {data.warnings.map(({ kind, workers }) => (
        <p key={kind} role="status" className="text-sm text-warn">
          {say.warnings[kind](workers.map((name) => nameOf(name, say.processOn)))}
        </p>
      ))}
      <WorkerTable workers={data.workers} />
    </section>
  );
}

function WorkerTable({ workers }: Pick<Overview, 'workers'>) {
  const { workers: say } = useTexts(texts);
  return (
    <Scroller label={say.title} className="rounded-lg border border-line bg-sheet">
      <table className="w-full whitespace-nowrap text-left text-sm">
        <thead className="text-faint">
          <tr>
            {[say.process, say.role, say.runs, say.lease, say.clock, say.started].map((name) => (
              <th key={name} className="whitespace-nowrap px-4 py-2 font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <tr key={`${worker.name} ${worker.startedAt}`} className="border-line border-t">
              <th className="px-4 py-1.5 font-normal">
                {nameOf(worker.name, say.processOn)}{' '}
                {worker.isThis && <span className="text-faint">{say.isThis}</span>}
              </th>
              <td className="px-4 py-1.5">{worker.role === undefined ? '–' : say.roles[worker.role]}</td>
              <td className="px-4 py-1.5 tabular-nums">
                {worker.driving}
                {worker.atOnce !== undefined && ` / ${worker.atOnce}`}
                {worker.runs.slice(0, MOST_LINKS).map((run) => (
                  <Link
                    key={run}
                    to={{ at: 'run', run, view: 'graph' }}
                    className="ml-2 rounded text-accent hover:underline"
                  >
                    {run.slice(-8)}
                  </Link>
                ))}
                {worker.runs.length > MOST_LINKS && ' …'}
              </td>
              <td className={`px-4 py-1.5 ${worker.isAlive ? 'text-good' : 'text-bad'}`}>
                {worker.isAlive ? `✓ ${say.alive}` : `✕ ${say.ended}`}
              </td>
              <td className="px-4 py-1.5 tabular-nums">
                {worker.clockOffsetMs === null ? '–' : `${worker.clockOffsetMs} ms`}
              </td>
              <td className="px-4 py-1.5">
                <Time at={worker.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

/** A process says its name in English. */
function nameOf(name: string, say: (pid: string, host: string) => string): string {
  const [, pid, host] = /^process (\d+) on (.+)$/.exec(name) ?? [];
  return pid === undefined || host === undefined ? name : say(pid, host);
}
