/**
 * Ten calls in a row as a workflow of Mastra, with its LibSQL store: `node mastra.js FOLDER`. What was under way when the
 * process died is restarted by its own `restart`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { z } from 'zod';
import { send, TASKS } from './effect.js';

const [folder = '.'] = process.argv.slice(2);
const schema = z.object({ done: z.number() });
const workflow = createWorkflow({ id: 'calls', inputSchema: schema, outputSchema: schema });
for (let index = 0; index < TASKS; index++) {
  const execute = async () => {
    await send(folder, index);
    return { done: index };
  };
  workflow.then(createStep({ id: `n${index}`, inputSchema: schema, outputSchema: schema, execute }));
}
workflow.commit();
const database = join(folder, 'mastra.db');
const isKnown = existsSync(database);
const mastra = new Mastra({
  logger: false,
  workflows: { calls: workflow },
  storage: new LibSQLStore({ id: 'store', url: `file:${database}` }),
});
const calls = mastra.getWorkflow('calls');
const run = await calls.createRun({ runId: 'r1' });
const snapshot = isKnown ? await calls.getWorkflowRunById('r1') : null;
const { status } = snapshot === null ? await run.start({ inputData: { done: 0 } }) : await run.restart();
process.exit(status === 'success' ? 0 : 1);
