import * as z from 'zod';
import {
  asText,
  isObject,
  type Json,
  type JsonObject,
  json,
  jsonObject,
  parseJson,
  stringifyJson,
} from '../../model/json.ts';
import { redact } from '../../model/redact.ts';
import {
  type Effect,
  issueText,
  isWorse,
  type SchemaCheck,
  type SchemaIssue,
  type Tool,
} from '../../model/tool.ts';
import { isPromised } from '../../plan/schema/view.ts';
import { ambiguityIn, toAmbiguous } from '../ambiguity.ts';
import { type CallOutcome, failed } from '../toolbox.ts';
import { hashOfDescriptions } from '../tools-hash.ts';
import { isHttp, type McpServerConfig } from './config.ts';
import { whyNotParsed } from './json-limits.ts';

/** Only the fields that we use, so that errors in the rest of a tool's description do not matter. */
export const listedTool = z.object({
  // A line break in a name would start a new line in a prompt.
  name: z.string().regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: jsonObject.catch({ type: 'object' }),
  outputSchema: jsonObject.optional().catch(undefined),
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
      openWorldHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  _meta: jsonObject.optional().catch(undefined),
});
export type ListedTool = z.infer<typeof listedTool>;

/** Keys of `_meta`. On a tool, the key says that the tool supports it. On a call, it requests it. */
export const META = {
  /** A call repeated with the same key has its effect once. */
  key: 'dandori/idempotencyKey',
  /** The call has no effect and says what it would do. The answer is also accepted in the result's `_meta`. */
  preview: 'dandori/preview',
  /** Of the user. */
  language: 'dandori/language',
  userId: 'dandori/userId',
} as const;

interface Naming {
  readonly server: string;
  readonly config: McpServerConfig;
  /** Removed from tool descriptions, which go into every prompt and may contain a password. */
  readonly secrets: readonly string[];
  readonly worst?: Worst;
}

/**
 * The worst that a server has ever said about each of its tools. It cannot take that back while Dandori runs: a tool
 * that writes must not become a read in the middle of a run.
 */
export type Worst = Map<string, Pick<Tool, 'effect' | 'openWorld'>>;

/** An unchanged tool stays the same object, because its compiled schemas are cached by object. */
export function toTools(
  listed: readonly ListedTool[],
  naming: Naming,
  before: readonly Tool[],
): readonly Tool[] {
  const known = new Map(before.map((tool) => [stringifyJson(tool), tool]));
  const said = listed.map((tool) => toTool(tool, naming));
  const tools = (
    isSeen(said, naming.config) ? said : said.map((tool) => ({ ...tool, unseen: true as const }))
  ).map((tool) => known.get(stringifyJson(tool)) ?? tool);
  const isSame = tools.length === before.length && tools.every((tool, index) => tool === before[index]);
  return isSame ? before : tools;
}

/** Whether the user has seen what the server says about its tools. If the user trusts it, that does not matter. */
function isSeen(tools: readonly Tool[], { trusted, descriptions }: McpServerConfig): boolean {
  return trusted === true || descriptions === undefined || descriptions === seenHash(tools);
}

/** What the configuration remembers of the tools that the user saw. */
export function seenHash(tools: readonly Tool[]): string {
  return `sha256-${hashOfDescriptions(tools)}`;
}

function toTool(listed: ListedTool, { server, config, secrets, worst }: Naming): Tool {
  const { effect, openWorld } = worstOf(listed, worst);
  const name = `${server}.${listed.name}`;
  const title = listed.title ?? listed.annotations?.title;
  const said = {
    ...(title !== undefined && { title }),
    description: listed.description ?? '',
    inputSchema: listed.inputSchema satisfies JsonObject,
    ...(listed.outputSchema !== undefined && { outputSchema: listed.outputSchema }),
  };
  return {
    name,
    server,
    ...redact(said, secrets),
    effect: config.effects?.[listed.name] ?? effect,
    ...(hasPreview(listed, config) && { preview: true }),
    trusted: config.trusted ?? false,
    ...(openWorld !== undefined && { openWorld }),
  };
}

function worstOf(listed: ListedTool, worst: Naming['worst']): Pick<Tool, 'effect' | 'openWorld'> {
  const before = worst?.get(listed.name);
  const { effect } = inferEffect(listed);
  const openWorld = before?.openWorld === true ? true : listed.annotations?.openWorldHint;
  const found = { effect: before && isWorse(before.effect, effect) ? before.effect : effect, openWorld };
  worst?.set(listed.name, found);
  return found;
}

/**
 * A preview sends the arguments before the user has approved the call. A program on this machine may have
 * them. A remote server may not, unless the user trusts it.
 */
function hasPreview({ _meta }: ListedTool, config: McpServerConfig): boolean {
  return _meta?.[META.preview] === true && (!isHttp(config) || config.trusted === true);
}

/** What the effect of a tool was inferred from. */
export type EffectSource =
  | 'readOnlyHint'
  | 'destructiveHint'
  | 'idempotentHint'
  | 'idempotency_key'
  /** It says that it writes, or that it destroys nothing. */
  | 'other_hints'
  | 'none';

/**
 * MCP treats a tool without hints as destructive. We ask before destructive calls, and would then ask about
 * nearly every call.
 */
export function inferEffect({ annotations, _meta }: ListedTool): { effect: Effect; from: EffectSource } {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations ?? {};
  if (readOnlyHint === true) return { effect: 'read', from: 'readOnlyHint' };
  if (destructiveHint === true) return { effect: 'destructive', from: 'destructiveHint' };
  if (idempotentHint === true) return { effect: 'idempotent', from: 'idempotentHint' };
  if (_meta?.[META.key] === true) return { effect: 'idempotent', from: 'idempotency_key' };
  const isSilent = readOnlyHint === undefined && destructiveHint === undefined;
  return { effect: 'write', from: isSilent ? 'none' : 'other_hints' };
}

/** Loose, so that unknown kinds of content are passed on unchanged. */
export const toolResult = z.object({
  content: z
    .unknown()
    .optional()
    .transform((content) => [content ?? []].flat().map(blockOf)),
  structuredContent: json.optional(),
  // A server that writes "yes" does not mean success.
  isError: z.boolean().nullish().catch(true),
  _meta: jsonObject.optional().catch(undefined),
  // Of a server that speaks a protocol of 2025 and still asks for input in the way of 2026.
  inputRequests: z.unknown().optional(),
  requestState: z.unknown().optional(),
});
export type ToolResult = z.infer<typeof toolResult>;

/** Content that is no block is kept as a text. */
function blockOf(block: unknown): JsonObject {
  const known = jsonObject.safeParse(block);
  return known.success ? known.data : { type: 'text', text: asText(block) };
}

/**
 * A result must keep what the output schema requires, because Refs of later tasks were checked against it. A
 * mistake in an optional part is noted and the result is used: the call has taken effect, and failing it
 * helps no user.
 */
export function resultOutcome(result: ToolResult, tool: Tool, check: SchemaCheck): CallOutcome {
  const ambiguity = ambiguityIn(result.structuredContent) ?? ambiguityIn(onlyText(result));
  if (ambiguity !== undefined) return toAmbiguous(ambiguity, tool);
  if (result.isError === true)
    return failed('tool_error', errorText(result) || 'the tool failed and did not say why');
  const value = dataOf(result);
  const { outputSchema } = tool;
  if (outputSchema === undefined) return { kind: 'succeeded', result: value };
  const issues = check(outputSchema, value);
  const broken = issues.find(({ path }) => isPromised(outputSchema, path));
  if (broken !== undefined) {
    const unstructured = result.structuredContent === undefined ? ' (it returned no structured content)' : '';
    return failed(
      'invalid_result',
      `the call was made and may have taken effect, but the result does not fit the output schema of ${tool.name}${unstructured}: ${issueText(broken)}`,
    );
  }
  return { kind: 'succeeded', result: value, ...noteOn(issues) };
}

/**
 * What a preview answers, as structured content or, if the tool's output schema has no room for it, in
 * `_meta`.
 */
export function previewOutcome(result: ToolResult, tool: Tool): CallOutcome {
  const ambiguity = ambiguityIn(result.structuredContent) ?? ambiguityIn(onlyText(result));
  if (ambiguity !== undefined) return toAmbiguous(ambiguity, tool);
  if (result.isError === true)
    return failed('tool_error', errorText(result) || 'the preview failed and did not say why');
  return { kind: 'succeeded', result: result._meta?.[META.preview] ?? dataOf(result) };
}

function noteOn(issues: readonly SchemaIssue[]): { note?: string } {
  if (issues.length === 0) return {};
  const more = issues.length > 3 ? '; …' : '';
  const told = `${issues.slice(0, 3).map(issueText).join('; ')}${more}`;
  return { note: `The result does not fit the tool's own output schema: ${told}` };
}

function errorText({ content, structuredContent }: ToolResult): string {
  const texts = content.flatMap((block) => (typeof block.text === 'string' ? [block.text] : []));
  if (texts.length > 0) return texts.join('\n');
  return structuredContent === undefined ? '' : stringifyJson(structuredContent);
}

/** Servers of an older protocol have no structured content, and write JSON as text instead. */
function onlyText({ content, structuredContent }: ToolResult): Json | undefined {
  const [first, ...others] = content;
  if (structuredContent !== undefined || others.length > 0 || typeof first?.text !== 'string')
    return undefined;
  return first.text.includes('"ambiguous"') ? parsed(first.text) : undefined;
}

/** Refs of later tasks reach into this value, so as much of it as possible is parsed data instead of text. */
function dataOf({ content, structuredContent }: ToolResult): Json {
  if (structuredContent !== undefined) return structuredContent;
  const [first, ...others] = content;
  if (first === undefined) return null;
  if (others.length > 0) return content.map(toBlock);
  return first.type === 'text' && typeof first.text === 'string' ? parsed(first.text) : toBlock(first);
}

/** Parses only objects and lists: a text of digits may be a postal code. */
function parsed(text: string): Json {
  if (!/^\s*[[{]/.test(text) || whyNotParsed(text) !== undefined) return text;
  try {
    return parseJson(text) as Json;
  } catch {
    return text;
  }
}

function toBlock(block: JsonObject): JsonObject {
  const { annotations: _annotations, _meta, ...kept } = block;
  if (kept.type !== 'resource' || !isObject(kept.resource)) return kept;
  const { _meta: __, ...resource } = kept.resource;
  return { type: 'resource', ...resource };
}
