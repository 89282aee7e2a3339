import type { Extracted, ExtractRequest } from '../../model/decision.ts';
import { isObject, type Json, stringifyJson } from '../../model/json.ts';
import type { Stop } from '../../model/stop.ts';
import { clip, withoutTag } from '../../model/text.ts';
import { textWithoutThoughts } from '../parsing/extract-actions.ts';
import { readJson } from '../parsing/lenient-json.ts';
import { readPrompt } from '../prompts/read.ts';
import { callModel } from './call.ts';
import type { DialectPrompt } from './dialects/dialect.ts';
import { toFailure } from './failure.ts';
import type { LanguageMindOptions } from './options.ts';
import { estimateUsage, toUsage } from './usage.ts';
import type { Wire } from './wire/wire.ts';

interface Asking {
  readonly options: LanguageMindOptions;
  readonly wire: Promise<Wire>;
  readonly stop: Stop;
}

/** Characters of a text that are read. */
const LONGEST_TEXT = 200_000;

/**
 * Reads a value from a text with a model that knows nothing else: no tools, no goal, no history. A stranger's
 * order in the text can change this value and nothing more.
 */
export async function extractValue(
  request: ExtractRequest,
  { options, wire, stop }: Asking,
): Promise<Extracted> {
  const prompt = extractPrompt(request);
  const output = await callModel({
    wire: await wire,
    options,
    maxOutputTokens: options.maxOutputTokens,
    prompt,
    sent: {},
    stop,
    listener: { text: () => {} },
  });
  const usage = toUsage(output.usage, options) ?? (await estimateUsage(prompt, output, options));
  const counted = usage === undefined ? {} : { usage };
  if (output.error !== undefined)
    return { kind: 'failed', failure: toFailure(output.error, options), ...counted };
  return { ...readValue(output.text), ...counted };
}

function extractPrompt({ text, find, schema }: ExtractRequest): DialectPrompt {
  const content = [
    `Find: ${find}`,
    `JSON Schema of the value: ${stringifyJson(schema)}`,
    `<result>${withoutTag('result', clip(text, LONGEST_TEXT))}</result>`,
  ]
    .join('\n\n')
    .toWellFormed();
  return { instructions: readPrompt('extract'), messages: [{ role: 'user', content }] };
}

function readValue(text: string): Extracted {
  const written = textWithoutThoughts(text);
  const start = written.indexOf('{');
  const end = written.lastIndexOf('}');
  const read = start < 0 || end < start ? undefined : readJson(written.slice(start, end + 1));
  const found = read?.ok === true ? (read.value as Json) : undefined;
  if (isObject(found) && found.value !== undefined) return { kind: 'extracted', value: found.value };
  // The model's own words are left out, because the text may have dictated them.
  const isMissing = isObject(found) && found.missing !== undefined;
  const message = isMissing
    ? 'The text does not contain the value.'
    : 'The model did not answer with a value.';
  return { kind: 'failed', failure: { kind: 'invalid_result', message, retryable: !isMissing } };
}
