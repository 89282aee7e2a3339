/** Ten calls in a row by LangGraph.js, with its SQLite saver and its most careful durability: `node langgraph.js FOLDER`.
 * Plain JavaScript, as it runs on the Node that its SQLite was built for. */
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { send, TASKS } from './effect.js';

const [folder = '.'] = process.argv.slice(2);
const State = Annotation.Root({ done: Annotation({ reducer: Math.max, default: () => 0 }) });
const graph = new StateGraph(State);
for (let index = 0; index < TASKS; index++) {
  graph.addNode(`n${index}`, async () => {
    await send(folder, index);
    return { done: index };
  });
  graph.addEdge(index === 0 ? START : `n${index - 1}`, `n${index}`);
}
graph.addEdge(`n${TASKS - 1}`, END);
const app = graph.compile({ checkpointer: SqliteSaver.fromConnString(join(folder, 'graph.db')) });
const config = { configurable: { thread_id: '1' }, durability: 'sync', recursionLimit: 100 };
const { next } = await app.getState(config);
await app.invoke(next.length > 0 ? null : { done: 0 }, config);
