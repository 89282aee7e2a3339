// #region client
import { createClient } from 'dandori/client';

const client = createClient({ url: 'http://127.0.0.1:4310', token: process.env.DANDORI_TOKEN ?? '' });

const run = await client.start('Remove one milk', { key: 'order-1' });
const report = await client.settled(run, {
  onNews: (news) => news.kind === 'event' && console.log(news.event.type),
});
for (const question of report.questions) await client.answer(run, question.id, 'whole');
// #endregion
