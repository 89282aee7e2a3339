import type { ConversationClient, RunClient } from '../../app/index.ts';
import { milliseconds } from '../../documents/field.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { warnAboutServers, warnAboutUserConfig } from '../announce.ts';
import { type Hosting, hostChat } from '../chat/host.ts';
import type { Wording } from '../chat/message.ts';
import { asTyped } from '../command-line.ts';
import { oneLine, styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';
import { openWorkplace, SERVER } from '../workplace.ts';

export interface ChatOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly new?: boolean;
  readonly conversation?: string;
  readonly list?: boolean;
  /** `provider/name`, instead of the configured model. */
  readonly model?: string;
  readonly wait: string;
}

export async function chat(options: ChatOptions): Promise<number> {
  if (options.list === true) return list(options);
  const wait = milliseconds(options.wait);
  if (wait === undefined)
    throw new DandoriError('usage', `--wait takes a duration such as 10m, not "${options.wait}".`);
  const isTerminal = options.json !== true && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const watched: Hosting['watched'] = {};
  const dandori = await openWorkplace({
    configFile: options.config,
    model: options.model,
    onEvent: (event) => (event.run === watched.run ? watched.stream?.event(event) : undefined),
    onLive: (live) => (live.run === watched.run ? watched.stream?.live(live) : undefined),
    onWarning: (warning) => warnAboutUserConfig(warning, textsFor({ language: dandori.config.language })),
  });
  const conversation = await open(dandori, options);
  const wording: Wording = {
    style: styleFor(process.stdout),
    // A getter, because without a configured language the first message decides it.
    get texts() {
      return textsFor({ language: dandori.config.language ?? conversation.state?.language });
    },
  };
  if (options.json !== true) warnAboutServers(dandori, wording.texts);
  const hosting: Hosting = {
    conversation,
    wording,
    watched,
    past: (run) => dandori.events(run),
    isTerminal,
    isJson: options.json === true,
    isRemote: (process.env[SERVER] ?? '') !== '',
  };
  return hostChat(hosting, { wait, config: options.config, close: () => dandori.close() });
}

/** If no conversation can be opened, closes the tool servers. Otherwise they would keep the process alive. */
async function open(dandori: RunClient, options: ChatOptions): Promise<ConversationClient> {
  try {
    return await dandori.conversation(await chosenConversation(dandori, options));
  } catch (error) {
    await dandori.close();
    throw error;
  }
}

async function chosenConversation(dandori: RunClient, options: ChatOptions): Promise<string | undefined> {
  if (options.new === true) return undefined;
  const all = (await dandori.conversations()).filter(({ isDamaged }) => !isDamaged);
  const wanted = options.conversation;
  if (wanted === undefined) return all[0]?.conversation;
  const found = all.filter(({ conversation }) => conversation === wanted || conversation.endsWith(wanted));
  return found.length === 1 ? found[0]?.conversation : wanted;
}

async function list({ config, json }: ChatOptions): Promise<number> {
  await using dandori = await openWorkplace({ configFile: config, tools: false });
  const found = await dandori.conversations();
  if (json === true) {
    process.stdout.write(`${stringifyJson({ conversations: found })}\n`);
    return 0;
  }
  const style = styleFor(process.stdout);
  const { chat: texts } = textsFor({ language: dandori.config.language });
  if (found.length === 0) process.stdout.write(`${asTyped(texts.noConversations, config)}\n`);
  for (const { conversation, title, lastAt, isDamaged } of found) {
    const when = new Date(lastAt).toLocaleString('sv-SE');
    const name = isDamaged ? style.red(conversation) : conversation;
    process.stdout.write(`${name}  ${style.dim(when)}  ${oneLine(title, 60)}\n`);
  }
  return 0;
}
