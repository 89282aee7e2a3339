/**
 * The same goals, tools and results for each; one scripted model over HTTP that says what an ideal model would say in that
 * one's own loop. How many calls does it need, and how many tokens do they have?
 *
 * `npm ci && npm run calls [-- --case "no tool" --system Dandori --show FOLDER --parts]` in this folder. `--show`
 * writes every prompt there as a model reads it, `--parts` prints what each consists of.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ModelReply, type RecordedRequest, startModelServer } from 'dandori/testing';
import type { Case } from './calls/case.ts';
import { CASES } from './calls/cases.ts';
import { type Counts, countAll, promptText } from './calls/count.ts';
import { partsOf } from './calls/parts.ts';
import { dandori, peer, type System } from './calls/system.ts';

const SYSTEMS: readonly System[] = [
  ...(['json', 'tools'] as const).flatMap((dialect) => [
    dandori('adaptive', { dialect, plan: 'rounds' }),
    dandori('planned', { dialect, plan: 'tasks' }),
    dandori('auto', { dialect, plan: 'tasks' }),
    dandori('auto', { dialect, plan: 'answer' }),
    dandori('auto', { dialect, plan: 'tasks', isUntrusted: true }),
  ]),
  peer('AI SDK 7.0.169, generateText', 'ai-sdk.js'),
  peer('LangChain 1.5.14, createAgent on LangGraph 1.4.18', 'langgraph.js'),
  peer('OpenAI Agents 0.20.0', 'openai-agents.js'),
  peer('Mastra 1.71.0, Agent', 'mastra.js'),
  peer('deepagents 1.14.1', 'deepagents.js'),
];

const { values: wanted } = parseArgs({
  options: {
    case: { type: 'string' },
    system: { type: 'string' },
    show: { type: 'string' },
    parts: { type: 'boolean' },
  },
});

async function measure(given: Case, system: System): Promise<Counts> {
  const script = system.script(given);
  const replies: ModelReply[] = [];
  await using server = await startModelServer(async (request, index) => {
    const reply = await script(request, index);
    if (reply !== undefined) replies.push(reply);
    return reply && { ...reply, chunkSize: 4_096 };
  });
  const answer = await system.run(given, server.url);
  if (wanted.show !== undefined)
    await show(join(wanted.show, system.name, given.name), server.requests.map(promptText));
  if (wanted.parts === true) printParts(system, server.requests);
  if (answer !== given.answer) throw new Error(`${system.name} ended with: ${answer}`);
  return countAll(server.requests, replies);
}

function printParts({ name }: System, requests: readonly RecordedRequest[]): void {
  for (const [index, request] of requests.entries()) {
    console.log(
      `\n${name}, call ${index + 1}: ${Buffer.byteLength(JSON.stringify(request.body)).toLocaleString('en')} bytes`,
    );
    for (const { name: part, tokens, bytes } of partsOf(request))
      console.log(`${String(tokens).padStart(8)} tokens ${String(bytes).padStart(8)} bytes  ${part}`);
  }
}

async function show(folder: string, prompts: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [index, prompt] of prompts.entries()) await writeFile(join(folder, `${index + 1}.txt`), prompt);
}

const cases = CASES.filter(({ name }) => name.includes(wanted.case ?? ''));
const systems = SYSTEMS.filter(({ name }) => name.includes(wanted.system ?? ''));
for (const given of cases) {
  console.log(`\n### ${given.name}\n`);
  console.log(
    '| | calls | prompt tokens | of them not in the prefix before | completion tokens | same prefix |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const system of systems) {
    const { calls, prompt, uncached, completion, samePrefix } = await measure(given, system);
    const share = calls === 1 ? '–' : `${(samePrefix * 100).toFixed(1)} %`;
    const numbers = [prompt, uncached, completion].map((number) => number.toLocaleString('en'));
    console.log(`| ${[system.name, calls, ...numbers, share].join(' | ')} |`);
  }
}
// Some of them leave something open.
process.exit(0);
