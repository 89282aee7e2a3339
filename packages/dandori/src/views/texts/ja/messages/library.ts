import type { Catalogue } from '../../translate.ts';

/** What a program passes by mistake. */
export const library: Catalogue = {
  'openDandori takes one object.': 'openDandori にはオブジェクトを 1 つ渡してください。',
  "Write openDandori({ model: 'openai/gpt-5-mini', tools: { … } }).":
    "openDandori({ model: 'openai/gpt-5-mini', tools: { … } }) のように書いてください。",
  'dandori.open takes the id of a run.': 'dandori.open には実行の ID を渡してください。',
  'Pass run.id, or an id that dandori.runs() lists.':
    'run.id か、dandori.runs() に出る ID を渡してください。',
  'openDandori: model is no model of the AI SDK.': 'openDandori：model は AI SDK のモデルではありません。',
  "Pass openai('gpt-5-mini') of @ai-sdk/openai, 'openai/gpt-5-mini', or a Mind of your own.":
    "@ai-sdk/openai の openai('gpt-5-mini')、'openai/gpt-5-mini'、または自作の Mind を渡してください。",
  'The option is called output.': 'このオプションの名前は output です。',
  'The option is called signal.': 'このオプションの名前は signal です。',
  'Pass the tasks of a plan as tasks: (await readPlanFile(file)).tasks.':
    '計画のタスクは tasks で渡してください：(await readPlanFile(file)).tasks',
  'Pass {1} to openDandori.': '{1} は openDandori に渡してください。',
  'Pass it to openDandori as instructions.': 'instructions として openDandori に渡してください。',
  'Pass limits: { max_steps } to openDandori.': 'limits: { max_steps } を openDandori に渡してください。',
  'The goal must be a text.': '目標はテキストで指定してください。',
  "Write dandori.run('The goal', { … }). Chats are conversations: dandori.conversation().":
    "dandori.run('目標', { … }) のように書いてください。チャットには dandori.conversation() を使います。",
  'The options of a run must be an object.': '実行のオプションはオブジェクトで渡してください。',
  'Unknown option "{1}" of dandori.run.': 'dandori.run に「{1}」というオプションはありません。',
  'openDandori: workers is a number from 0 to {1}.':
    'openDandori：workers には 0 から {1} までの整数を指定してください。',
  'Write workers: {1}, one for each core.': 'コアごとに 1 つにする場合は、workers: {1} と書いてください。',
  'openDandori: {1} stays in this process, and workers are other processes.':
    'openDandori：{1} はこのプロセスにしかなく、別プロセスのワーカーでは使えません。',
  'Leave it out, or leave out workers.': 'そのオプションか workers のどちらかを外してください。',
  "Put them into a module with `export default defineService({ … })`, and pass services: ['./tools.ts'].":
    "`export default defineService({ … })` のモジュールに移し、services: ['./tools.ts'] を渡してください。",
  "Name it: model: 'openai/gpt-5-mini', or pass the section of the file.":
    "model: 'openai/gpt-5-mini' のように名前で指定するか、設定ファイルと同じ形で渡してください。",
  'Name it as the file does: planning.history.directory, or store: { type: postgres, url }.':
    '設定ファイルと同じ形で、planning.history.directory または store: { type: postgres, url } を指定してください。',
  'workers needs runs that other processes can read.':
    'workers を使うには、ほかのプロセスからも読める保存先が必要です。',
  'Set planning.history.storage_type to jsonl, or leave out workers.':
    'planning.history.storage_type を jsonl にするか、workers を外してください。',
  'Its runs can be continued. What it printed before says why it ended.':
    '実行は再開できます。終了の原因は、その前に表示された出力で確認してください。',
  '{1} worker processes ended before they were ready.':
    'ワーカープロセスが準備完了前に終了しました（{1} 回）。',
  'Unknown option "{1}" of openDandori.': 'openDandori に「{1}」というオプションはありません。',
  'Known here: {1}.': '使えるオプション：{1}',
  'The {1} of a run can\'t be "{2}".': '実行の {1} に「{2}」は指定できません。',
  'The signal of a run must be an AbortSignal.': 'signal は AbortSignal で渡してください。',
  'Write signal: controller.signal.': 'signal: controller.signal と書いてください。',
  'The tasks of a run must be a list.': 'tasks はリストで渡してください。',
  "Write tasks: [{ id: 't1', operation: 'shop.price', args: {} }], or (await readPlanFile(file)).tasks.":
    "tasks: [{ id: 't1', operation: 'shop.price', args: {} }] または (await readPlanFile(file)).tasks のように書いてください。",
  'Dandori is closed, and starts no more runs.': 'close() の後は実行を開始できません。',
  'Await the output of the runs before close().':
    '実行の output() を待ってから close() を呼び出してください。',
  'The output cannot be written as JSON Schema: {1}': 'output を JSON Schema に変換できません：{1}',
  'Use types that JSON has, such as z.iso.datetime() for a date.':
    'JSON にある型を使ってください。日時は z.iso.datetime() です。',
  'Did you mean {1}?': '{1} のことですか？',
  'The userId must be a text.': 'userId は文字列で渡してください。',
  'Write userId: String(user.id).': 'userId: String(user.id) と書いてください。',
  'The attachments are not a list of files.': 'attachments はファイルのリストで渡してください。',
  "Write attachments: ['list.csv'], or [{ name: 'list.csv', data: text }].":
    "attachments: ['list.csv'] または [{ name: 'list.csv', data: text }] のように書いてください。",
  'The output is neither a schema of zod 4 nor a JSON Schema.':
    'output は zod 4 のスキーマでも JSON Schema でもありません。',
  'Write output: z.object({ … }) with zod 4 or newer.':
    'zod 4 以降で output: z.object({ … }) と書いてください。',
};
