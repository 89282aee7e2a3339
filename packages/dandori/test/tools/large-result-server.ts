import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

/**
 * An MCP server with one tool, `get`, whose result is about `bytes` large: `text` or `rows`. It writes JSON-RPC by hand,
 * so that it runs over stdio or, with `http`, prints its URL and answers POSTs.
 */
const [kind = 'text', bytes = '0', wire = 'stdio'] = process.argv.slice(2);

function result(): object {
  if (kind === 'text')
    return { content: [{ type: 'text', text: 'lorem ipsum '.repeat(Number(bytes) / 12) }] };
  const count = Math.ceil(Number(bytes) / 80);
  const rows = Array.from({ length: count }, (_, id) => ({
    id: 100_000 + id,
    name: `customer ${100_000 + id}`,
    city: 'Osaka',
    amount: id + 0.5,
    active: true,
  }));
  return { content: [], structuredContent: { rows } };
}

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

function answer({ id, method, params }: Request): string | undefined {
  if (id === undefined) return undefined;
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'large', version: '1' },
    }),
    'tools/list': () => ({
      tools: [{ name: 'get', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    }),
    'tools/call': result,
  };
  const made = results[method]?.();
  const error = { code: -32_601, message: 'unknown method' };
  return JSON.stringify({ jsonrpc: '2.0', id, ...(made === undefined ? { error } : { result: made }) });
}

if (wire === 'http') {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const text = request.method === 'POST' ? answer(JSON.parse(body)) : undefined;
    response.writeHead(text === undefined ? (request.method === 'POST' ? 202 : 405) : 200, {
      'content-type': 'application/json',
    });
    response.end(text);
  }).listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}/\n`);
  });
} else
  createInterface({ input: process.stdin }).on('line', (line) => {
    const text = answer(JSON.parse(line));
    if (text !== undefined) process.stdout.write(`${text}\n`);
  });
