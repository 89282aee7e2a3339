import type { McpServer } from '@modelcontextprotocol/server';
import { registerReadingTools } from './reading-tools.ts';
import { registerWritingTools } from './writing-tools.ts';

export function registerTools(server: McpServer): void {
  registerReadingTools(server);
  registerWritingTools(server);
}
