/** One message of a stream of server-sent events. */
export interface ServerEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads a stream as the standard says: lines end with LF, CR or both, an empty line ends a message. */
export async function* readServerEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let name = 'message';
  let id: string | undefined;
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { name, id, data: data.join('\n') };
      name = 'message';
      id = undefined;
      data = [];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split(/\r\n|[\n\r]/);
      pieces.push(first);
      for (const next of others) {
        yield pieces.join('');
        pieces = [next];
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
