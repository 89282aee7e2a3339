import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createReplayServer } from './mcp.ts';
import { readRecord, toRecording } from './recording.ts';
import { createReplay } from './replay.ts';

/** `node stdio.ts records.jsonl id` serves one record as an MCP server over standard input and output. */

const [file, id] = process.argv.slice(2);
if (file === undefined || id === undefined) {
  console.error('Say which record to replay: node stdio.ts <records.jsonl> <id>');
  process.exit(64);
}
const replay = createReplay(toRecording(readRecord(file, id)));
await createReplayServer(replay).connect(new StdioServerTransport());
