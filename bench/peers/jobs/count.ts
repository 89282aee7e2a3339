import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Prints the lines of each job in each library. Empty lines and comments do not count. */
const LIBRARIES = ['dandori', 'ai-sdk', 'mastra', 'langgraph'];
const jobs = readdirSync(join(import.meta.dirname, 'dandori')).sort();
for (const job of jobs) {
  const counts = LIBRARIES.map((library) => {
    const lines = readFileSync(join(import.meta.dirname, library, job), 'utf8').split('\n');
    return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
  });
  console.log(`| ${job} | ${counts.join(' | ')} |`);
}
