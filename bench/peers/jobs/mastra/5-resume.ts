import { openai } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import * as z from 'zod';

const text = z.object({ text: z.string() });
const cities = ['Bergen', 'Cairo', 'Kyoto', 'Lima', 'Oslo', 'Paris', 'Quito', 'Rome', 'Seoul', 'Tunis'];
const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: 'Compare.',
  model: openai('gpt-5-mini'),
});
// An agent call is not resumed after a crash; a workflow continues after its last finished step.
const look = createStep({
  id: 'look',
  inputSchema: z.object({}),
  outputSchema: text,
  execute: async () => ({ text: JSON.stringify(cities.map((city) => ({ city, rain: city === 'Bergen' }))) }),
});
const compare = createStep({
  id: 'compare',
  inputSchema: text,
  outputSchema: text,
  execute: async ({ inputData }) => ({ text: (await agent.generate(inputData.text)).text }),
});
const workflow = createWorkflow({ id: 'weather', inputSchema: z.object({}), outputSchema: text })
  .then(look)
  .then(compare)
  .commit();
const storage = new LibSQLStore({ id: 'store', url: 'file:mastra.db' });
const mastra = new Mastra({ agents: { agent }, workflows: { workflow }, storage });
const [, , id] = process.argv;
const run = await mastra.getWorkflow('workflow').createRun(id === undefined ? {} : { runId: id });
const result = await (id === undefined ? run.start({ inputData: {} }) : run.restart());
console.log(run.runId, result.status === 'success' ? result.result.text : result.status);
