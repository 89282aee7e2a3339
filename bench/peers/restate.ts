/** The bare loop as a service of Restate: each answer of the model and each result of the tool is a step of its journal. */
import * as restate from '@restatedev/restate-sdk';
import { bareLoop, type Post } from '../product/bare-loop.ts';

export async function restateLoop(
  { ingress, admin }: { ingress: string; admin: string },
  post: Post,
): Promise<(goal: string) => Promise<void>> {
  const name = `loop${process.pid}`;
  const service = restate.service({
    name,
    handlers: {
      run: (context: restate.Context, goal: string) =>
        bareLoop(goal, post, (action) => context.run(action) as ReturnType<typeof action>),
    },
  });
  const endpoint = restate.endpoint().bind(service);
  endpoint.setLogger(() => {});
  const port = await endpoint.listen(0);
  await send(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
  return (goal) => send(`${ingress}/${name}/run`, goal);
}

async function send(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Restate answered ${response.status}: ${text}`);
}
