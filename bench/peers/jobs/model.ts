import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does next: it calls tools, or it writes a text. */
interface Turn {
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  readonly text?: string;
}

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages?: unknown;
  readonly input?: unknown;
  readonly tools?: readonly { name?: string; function?: { name: string } }[];
  readonly text?: { readonly format?: { readonly name?: string } };
  readonly response_format?: object;
}

const CITIES = ['Bergen', 'Cairo', 'Kyoto', 'Lima', 'Oslo', 'Paris', 'Quito', 'Rome', 'Seoul', 'Tunis'];
const weather = (cities: readonly string[]) => cities.map((city) => ({ name: 'weather', args: { city } }));

/** A model that knows the five jobs. It speaks chat completions and responses, in one piece and as a stream. */
export async function startModel(): Promise<{ url: string; calls: () => number; close: () => void }> {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    calls++;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const turn = decide(body);
    if (process.env.SHOW !== undefined) console.error(request.url, JSON.stringify(turn));
    if (request.url?.endsWith('/responses') === true) sendResponses(body, turn, response);
    else sendChat(body, turn, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, calls: () => calls, close: () => server.close() };
}

function decide(body: Body): Turn {
  const said = JSON.stringify(body.messages ?? body.input);
  const isDandori = JSON.stringify(body).includes('"name":"actions"');
  const hasResults = isDandori
    ? said.includes('<result ')
    : /"role":"tool"|"function_call_output"|"tool_call_id"/.test(said);
  const turn = jobOf(said, body, hasResults || (!isDandori && (body.tools ?? []).length === 0));
  if (!isDandori) return turn;
  const actions = turn.calls?.map(({ name, args }, index) => ({
    id: `t${index + 1}`,
    operation: name === 'read_text_file' ? 'files.read_text_file' : name,
    args,
  }));
  const output = said.includes('is wet') ? { output: { cities: ['Bergen'] } } : {};
  const answer = [{ id: 'end', operation: 'answer', args: { text: turn.text, achieved: true, ...output } }];
  return { text: JSON.stringify({ reasoning: 'so', actions: actions ?? answer }) };
}

function jobOf(said: string, body: Body, isDone: boolean): Turn {
  // Libraries give the tool of a server names of their own: `read_text_file`, `files_read_text_file`, `files.read_text_file`.
  const listed = [...JSON.stringify(body).matchAll(/[\w.-]*read_text_file/g)].map(([name]) => name);
  const reader = listed.find((name) => name !== 'read_text_file') ?? 'read_text_file';
  if (/is wet/.test(said)) {
    const wantsValue = /"cities"/.test(JSON.stringify({ ...body, messages: 0, input: 0 }));
    if (!isDone) return { calls: weather(['Bergen', 'Cairo']) };
    return { text: wantsValue ? '{"cities":["Bergen"]}' : 'Bergen is wet.' };
  }
  if (/README say/.test(said))
    return isDone ? { text: 'It says hello.' } : { calls: [{ name: reader, args: { path: 'README.md' } }] };
  if (/Delete old/.test(said))
    return isDone ? { text: 'It is deleted.' } : { calls: [{ name: 'remove', args: { path: 'old.log' } }] };
  if (/umbrella/.test(said)) return isDone ? { text: 'In Bergen.' } : { calls: weather(['Bergen', 'Cairo']) };
  return isDone ? { text: 'Only Bergen is wet.' } : { calls: weather(CITIES) };
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function stream(response: ServerResponse, events: readonly object[], end = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const { type } = event as { type?: string };
    response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(end);
}

function sendChat({ model, stream: isStream }: Body, { calls, text }: Turn, response: ServerResponse): void {
  const tool_calls = calls?.map(({ name, args }, index) => ({
    index,
    id: `call_${index}_${name}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: 'assistant', content: text ?? null, ...(tool_calls && { tool_calls }) };
  const finish_reason = tool_calls === undefined ? 'stop' : 'tool_calls';
  const head = { id: `chatcmpl-${randomUUID()}`, created: 1, model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (isStream !== true) {
    json(response, {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
    return;
  }
  const chunk = { ...head, object: 'chat.completion.chunk' };
  stream(
    response,
    [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
    ],
    'data: [DONE]\n\n',
  );
}

function sendResponses(
  { model, stream: isStream }: Body,
  { calls, text = '' }: Turn,
  response: ServerResponse,
): void {
  const output =
    calls === undefined
      ? [
          {
            type: 'message',
            id: `msg_${randomUUID()}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]
      : calls.map(({ name, args }, index) => ({
          type: 'function_call',
          id: `fc_${index}`,
          call_id: `call_${index}_${name}`,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        }));
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const whole = {
    id: `resp_${randomUUID()}`,
    object: 'response',
    created_at: 1,
    model,
    status: 'completed',
    output,
    usage,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
    tools: [],
    metadata: {},
  };
  if (isStream !== true) {
    json(response, whole);
    return;
  }
  const pieces = output.flatMap((item, output_index): object[] => {
    const added = {
      type: 'response.output_item.added',
      output_index,
      item: item.type === 'message' ? { ...item, content: [] } : { ...item, arguments: '' },
    };
    const done = { type: 'response.output_item.done', output_index, item };
    const delta =
      item.type === 'message'
        ? {
            type: 'response.output_text.delta',
            item_id: item.id,
            output_index,
            content_index: 0,
            delta: text,
            logprobs: [],
          }
        : {
            type: 'response.function_call_arguments.delta',
            item_id: item.id,
            output_index,
            delta: 'arguments' in item ? item.arguments : '',
          };
    return [added, delta, done];
  });
  stream(response, [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    ...pieces,
    { type: 'response.completed', response: whole },
  ]);
}
