import type { CallToolResult } from '@modelcontextprotocol/server';

/** A successful result: structured for programs, text for hosts that only show text. */
export function answer(structuredContent: Record<string, unknown>, text: string): CallToolResult {
  return { structuredContent, content: [{ type: 'text', text }] };
}
