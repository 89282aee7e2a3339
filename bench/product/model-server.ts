import { createServer } from 'node:http';

/**
 * A language model over HTTP that follows the script in the goal: `@@calls=20;ms=50;latency=0;size=2;@@`. `turns`
 * calls come one after another, `calls` at once. The request is searched as bytes, so that the server costs every
 * contender the same. Requests with `hold=7` are never answered. `GET /held/7/300` is answered when there are 300 of them. Started as a process of its own; sends its port.
 */
interface Script {
  readonly turns: number;
  readonly calls: number;
  readonly ms: number;
  readonly latency: number;
  readonly size: number;
  /** How much longer each next result is. A repeated write would be refused. */
  readonly more: number;
  readonly hold: number;
  /** Its name, where it is not `work`. */
  readonly tool: string;
}

/** The results so far: `tool` messages for the bare loops, the highest `<result tN>` for Dandori. */
function resultsIn(body: Buffer): number {
  const last = body.lastIndexOf('<result t');
  if (last !== -1) return Number.parseInt(body.toString('latin1', last + 9, last + 17), 10);
  let count = 0;
  for (let at = body.indexOf('"role":"tool"'); at !== -1; at = body.indexOf('"role":"tool"', at + 1)) count++;
  return count;
}

function scriptIn(body: Buffer): Script {
  const from = body.indexOf('@@') + 2;
  const text = body.toString('latin1', from, body.indexOf('@@', from));
  const fields = new Map(text.split(';').map((field) => field.split('=') as [string, string]));
  const field = (name: string, otherwise: number) => Number(fields.get(name) ?? otherwise);
  return {
    turns: field('turns', 0),
    calls: field('calls', 0),
    ms: field('ms', 0),
    latency: field('latency', 0),
    size: field('size', 2),
    more: field('more', 0),
    hold: field('hold', 0),
    tool: fields.get('tool') ?? 'work',
  };
}

function nextCalls({ turns, calls, ms, size, more }: Script, done: number): { ms: number; size: number }[] {
  if (calls > 0) return done < calls ? Array.from({ length: calls }, () => ({ ms, size })) : [];
  return done < turns ? [{ ms, size: size + done * more }] : [];
}

const held = new Map<number, number>();
/** Called after each request that is held. */
let onHeld = () => {};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const [id, wanted] = request.url?.split('/').slice(2).map(Number) ?? [];
    onHeld = () => (held.get(id ?? 0) ?? 0) >= (wanted ?? 0) && response.end();
    onHeld();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const script = scriptIn(body);
    if (script.hold > 0) {
      held.set(script.hold, (held.get(script.hold) ?? 0) + 1);
      onHeld();
      return;
    }
    const done = resultsIn(body);
    const calls = nextCalls(script, done);
    const usage = {
      prompt_tokens: body.length >> 2,
      completion_tokens: 10,
      total_tokens: (body.length >> 2) + 10,
    };
    const base = { id: `r${done}`, created: 1, model: 'bench' };
    const isDandori = body.includes('"stream":true');
    const isNative = body.includes('"tools":[');
    const answer = { id: `t${done + 1}`, operation: 'answer', args: { text: 'done', achieved: true } };
    const work = calls.map((args, index) => ({ id: `t${done + 1 + index}`, operation: script.tool, args }));
    const actions = calls.length === 0 ? [answer] : work;
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const send = () => {
      if (isDandori) {
        const native = actions.map(({ operation: name, args }, index) => ({
          index,
          id: `c${done + index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }));
        const said = isNative
          ? `${native.map((call) => chunk({ tool_calls: [call] }, null)).join('')}${chunk({}, 'tool_calls')}`
          : `${chunk({ content: JSON.stringify({ reasoning: 'next', actions }) }, null)}${chunk({}, 'stop')}`;
        response.setHeader('content-type', 'text/event-stream');
        response.end(
          `${chunk({ role: 'assistant', content: isNative ? null : '' }, null)}${said}` +
            `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`,
        );
        return;
      }
      const tool_calls = calls.map((args, index) => ({
        id: `c${done + index}`,
        type: 'function',
        function: { name: script.tool, arguments: JSON.stringify(args) },
      }));
      const message =
        calls.length === 0
          ? { role: 'assistant', content: 'done' }
          : { role: 'assistant', content: null, tool_calls };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ ...base, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
      );
    };
    if (script.latency > 0) setTimeout(send, script.latency);
    else send();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.on('disconnect', () => process.exit(0));
