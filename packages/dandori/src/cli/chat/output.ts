import type { ConversationClient } from '../../app/index.ts';
import type { Asked, Said, Written } from '../../conversation/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { asTyped } from '../command-line.ts';
import { errorTexts } from '../print-error.ts';
import { oneLine } from '../style.ts';
import { questionList, questionName, statusText, suggestionOf } from './commands.ts';
import { linesBelow, messageText, questionText, shortName, userText, type Wording } from './message.ts';
import { type Surface, writeTo } from './surface.ts';

/** How many earlier messages are shown when a conversation continues. */
const SHOWN_BEFORE = 6;

export interface Showing {
  readonly conversation: ConversationClient;
  readonly wording: Wording;
  readonly isTerminal: boolean;
  readonly isJson: boolean;
}

/** What a chat prints: texts for a person, or a line of JSON for each of them. */
export class ChatOutput {
  readonly #showing: Showing;
  readonly #surface: Surface;

  constructor(showing: Showing, surface: Surface) {
    this.#showing = showing;
    this.#surface = surface;
  }

  notice(text: string): Promise<void> {
    return this.#print(text, { type: 'notice', text });
  }

  /** Throws again what is no error of Dandori. */
  error(error: unknown): Promise<void> {
    if (!(error instanceof DandoriError)) throw error;
    const { isJson, wording } = this.#showing;
    const { code, message, fix } = error;
    if (isJson) return this.#json({ type: 'error', error: { code, message, fix } });
    const { style, texts } = wording;
    const [said, help] = errorTexts(error, texts);
    const head = `${style.red(`error[${code}]:`)} ${said}`;
    return this.#surface.print(
      help === undefined ? head : `${head}\n${texts.labelled(style.bold(texts.fix), help)}`,
    );
  }

  async message(message: Written): Promise<void> {
    const { conversation, isJson, wording } = this.#showing;
    const asked = openQuestionOf(message, conversation);
    if (isJson) {
      const question = asked === undefined ? {} : { ask: asked.question };
      return this.#json({ type: 'message', ...message, ...question });
    }
    if (message.kind !== 'question') return this.#text(messageText(message, wording));
    if (asked !== undefined) await this.#text(askedText(asked, message, this.#showing));
  }

  /** What belongs below a reply whose text was already streamed. */
  async below(reply: Written): Promise<void> {
    const lines = linesBelow(reply, this.#showing.wording);
    if (lines.length > 0) await this.#text(lines.join('\n'));
  }

  unclear({ why, questions }: Said & { kind: 'unclear' }): Promise<void> {
    const { conversation, isJson, wording } = this.#showing;
    if (isJson) return this.#json({ type: 'unclear', why, questions });
    const { nextHint, unclear: titles } = wording.texts.chat;
    const suggested = why === 'talked_over' ? suggestionOf(conversation) : undefined;
    const lines =
      suggested === undefined ? [] : [`  ${wording.style.bold(nextHint)}  ${oneLine(suggested.text, 80)}`];
    return this.#surface.print([questionList(questions, wording, titles[why]), ...lines].join('\n'));
  }

  background(run: string): Promise<void> {
    const { style, texts } = this.#showing.wording;
    return this.#print(style.dim(texts.chat.inBackground(shortName(run))), { type: 'background', run });
  }

  /** The open runs, except the one that the user waits for. */
  status(awaited: string | undefined): void {
    const { conversation, wording } = this.#showing;
    const { style } = wording;
    const runs = conversation.runs().filter(({ outcome, run }) => outcome === 'open' && run !== awaited);
    const lines = runs.map(
      (one) =>
        `${style.cyan('▸')} ${style.dim(`${shortName(one.run)} ${oneLine(one.goal, 40)} ·`)} ${statusText(one, wording)}`,
    );
    this.#surface.status(lines);
  }

  #print(text: string, json: object): Promise<void> {
    return this.#showing.isJson ? this.#json(json) : this.#text(text);
  }

  #json(message: object): Promise<void> {
    return this.#surface.print(stringifyJson(message));
  }

  /** Adds an empty line between messages on a terminal. */
  #text(text: string): Promise<void> {
    return this.#surface.print(this.#showing.isTerminal ? `${text}\n` : text);
  }
}

/** The title, and the last messages of a conversation that continues. */
export async function welcome(showing: Showing, config: string | undefined): Promise<void> {
  const { conversation, wording } = showing;
  const { state } = conversation;
  const { style, texts } = wording;
  const title = `${style.bold('Dandori 段取り')} ${style.dim(`· ${conversation.model}`)}`;
  const before = conversation
    .messages()
    .filter((message) => message.role === 'user' || state?.delivered.has(message.id));
  // Open questions come last, with how to answer them, however old they are.
  const waiting = before.flatMap((message) => {
    const asked = openQuestionOf(message, conversation);
    return asked === undefined ? [] : [askedText(asked, message, showing)];
  });
  const past = before.filter((message) => openQuestionOf(message, conversation) === undefined);
  const when = state === undefined ? '' : new Date(state.startedAt).toLocaleString('sv-SE').slice(0, 16);
  const hint = state === undefined ? texts.chat.welcome : texts.chat.continued(when);
  await writeTo(process.stdout, `${title}\n${style.dim(asTyped(hint, config))}\n\n`);
  for (const message of past.slice(-SHOWN_BEFORE))
    await writeTo(
      process.stdout,
      `${message.role === 'user' ? userText(message.text, wording) : messageText(message, wording)}\n`,
    );
  for (const text of waiting) await writeTo(process.stdout, `${text}\n\n`);
}

function askedText(asked: Asked, { text }: Written, { conversation, wording }: Showing): string {
  return questionText({ ...asked, name: questionName(asked, conversation.questions()), text }, wording);
}

/** The question that this message asks, if it is still open. */
function openQuestionOf(
  { role, run, question: id }: Written,
  conversation: ConversationClient,
): Asked | undefined {
  if (role !== 'agent' || id === undefined) return undefined;
  return conversation.questions().find((asked) => asked.run === run && asked.question.id === id);
}
