// #region client
import { createClient } from 'dandori/client';

const client = createClient({ url: 'http://127.0.0.1:4310', token: process.env.DANDORI_TOKEN ?? '' });

const run = await client.start('Remove one milk', { key: 'milk-1' });
const report = await client.settled(run, {
  onUpdate: (update) => update.kind === 'event' && console.log(update.event.type),
});
for (const question of report.questions) await client.answer(run, question.id, 'reject');
// #endregion

// #region conversation
const { conversations } = client;
const { conversation } = await conversations.begin('Plan a trip to Kyoto');
for await (const news of conversations.follow(conversation)) {
  if (news.kind === 'run' && news.run.standing === 'ended') break;
  if (news.kind !== 'event' || news.event.type !== 'message_written') continue;
  const { message } = news.event.data;
  if (message.role === 'user') continue;
  console.log(message.text);
  await conversations.acknowledge(conversation, [message.id]);
  if (message.kind === 'question') await conversations.say(conversation, 'yes');
}
// #endregion
