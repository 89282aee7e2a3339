import { openDandori } from 'dandori';

const dandori = await openDandori();
const conversation = await dandori.conversation();

for (const text of ['100 + 200を計算', 'What time is it in Asia/Tokyo?']) {
  const said = await conversation.say(text);
  if (said.kind === 'begun') console.log(said.run, said.standing);
  for (const message of conversation.undelivered()) {
    console.log(message.kind, message.text);
    await conversation.acknowledge(message.id);
  }
}
await conversation.settled();
await conversation.close();
await dandori.close();
