import type { GivenAttachment } from '../../commands/index.ts';
import type { Said, Written } from '../../conversation/index.ts';
import type { Event } from '../../model/event.ts';
import { exitCodeOf } from '../exit-code.ts';
import { parseOneAnswer } from '../questions/parse-answer.ts';
import { type CommandContext, runCommand } from './commands.ts';
import { userText } from './message.ts';
import { ChatOutput, type Showing, welcome } from './output.ts';
import { createStream, type Stream } from './stream.ts';
import { type Input, openPipe, type Surface, writeTo } from './surface.ts';
import { openTerminal } from './terminal.ts';

export interface Hosting extends Showing {
  readonly watched: { stream?: Stream | undefined; run?: string | undefined };
  readonly past: (run: string) => Promise<Event[]>;
  /** A server does the work and continues it after this process ends. */
  readonly isRemote: boolean;
}

interface Leaving {
  readonly wait: number;
  readonly config: string | undefined;
  readonly close: () => Promise<void>;
}

/** Runs a chat until its input ends. Returns the exit code. */
export async function hostChat(hosting: Hosting, { wait, config, close }: Leaving): Promise<number> {
  const { conversation, isTerminal } = hosting;
  // Before the welcome: what another client acknowledges meanwhile was not shown here.
  const lastShown =
    conversation.messages().findLast(({ id }) => conversation.state?.delivered.has(id))?.id ?? '';
  if (isTerminal) await welcome(hosting, config);
  const host = new ChatHost(hosting, lastShown);
  const unwatch = await host.begin();
  await host.handleInputs();
  if (!isTerminal) await host.settledWithin(wait);
  await host.leave(close);
  unwatch();
  return conversation.questions().length > 0 && !isTerminal ? exitCodeOf('waiting') : 0;
}

/** Connects a surface to a conversation: sends what the user enters, and shows the messages that arrive. */
class ChatHost {
  readonly #hosting: Hosting;
  readonly #surface: Surface;
  readonly #output: ChatOutput;
  /** Messages on the screen. */
  readonly #shown = new Set<string>();
  readonly #attached: GivenAttachment[] = [];
  #lastShown: string;
  #delivering: Promise<void> = Promise.resolve();
  /** The user waits for a turn, so other messages are held back. */
  #isHeld = false;
  /** The user was told that a second Ctrl-C leaves the chat. */
  #isWarned = false;
  #isLeaving = false;

  constructor(hosting: Hosting, lastShown: string) {
    this.#hosting = hosting;
    this.#lastShown = lastShown;
    this.#surface = this.#openSurface();
    this.#output = new ChatOutput(hosting, this.#surface);
  }

  #openSurface(): Surface {
    const { conversation, wording, isTerminal, isJson } = this.#hosting;
    if (!isTerminal) return openPipe({ isQuiet: isJson });
    return openTerminal({
      prompt: `${wording.style.cyan(wording.texts.chat.prompt)} `,
      more: wording.style.dim('… '),
      echo: (text) => userText(text, wording),
      history: conversation
        .messages()
        .filter(({ role }) => role === 'user')
        .map(({ text }) => text.replaceAll('\n', ' '))
        .reverse(),
      lastShown: () => this.#lastShown,
      onInterrupt: () => this.#interrupt(),
    });
  }

  /** Shows what has arrived, and from now on what arrives, until the returned function is called. */
  async begin(): Promise<() => void> {
    const unwatch = this.#hosting.conversation.watch(() => {
      if (this.#isHeld) return;
      this.#showStatus();
      void this.#deliver();
    });
    await this.#deliver();
    this.#showStatus();
    this.#surface.ready();
    return unwatch;
  }

  async handleInputs(): Promise<void> {
    for await (const input of this.#surface.inputs()) {
      this.#isWarned = false;
      if (/^\/(quit|exit)\s*$/.test(input.text)) return;
      if (input.text.trim() !== '') await this.#handle(input);
    }
  }

  async #handle({ text, seen }: Input): Promise<void> {
    const isCommand = await runCommand(text, this.#context()).catch(async (error: unknown) => {
      await this.#output.error(error);
      return true;
    });
    if (isCommand) return;
    const attachments = this.#attached.splice(0);
    await this.#waitFor((onBegun) => this.#hosting.conversation.say(text, { onBegun, seen, attachments }));
  }

  #context(): CommandContext {
    const { conversation, wording } = this.#hosting;
    return {
      ...wording,
      conversation,
      say: (text) => this.#output.notice(text),
      attached: this.#attached,
      answer: ({ run, question }, typed, comment) =>
        this.#waitFor(async (onBegun) => {
          const value = parseOneAnswer(typed, question);
          onBegun(run);
          return conversation.answer({ run, question: question.id }, value, { comment });
        }),
      // Nothing was seen, so the words answer no question.
      begin: (text) => this.#waitFor((onBegun) => conversation.say(text, { onBegun, seen: '' })),
      decline: ({ run, question }, comment) =>
        this.#waitFor((onBegun) => {
          onBegun(run);
          return conversation.answer({ run, question: question.id }, null, { declined: true, comment });
        }),
    };
  }

  /** Shows new messages in order. Each one is acknowledged only after it was really written. */
  #deliver(): Promise<void> {
    const { conversation } = this.#hosting;
    this.#delivering = this.#delivering.then(async () => {
      if (this.#isHeld) return;
      for (const message of conversation.undelivered()) {
        if (!this.#shown.has(message.id)) await this.#output.message(message);
        this.#shown.add(message.id);
        this.#lastShown = message.id;
        await conversation.acknowledge(message.id);
      }
    });
    return this.#delivering;
  }

  #showStatus(): void {
    this.#output.status(this.#hosting.watched.run);
  }

  /** Runs one turn. Other messages are held back until the user no longer waits for it. */
  async #waitFor(work: (onBegun: (run: string) => void) => Promise<Said>): Promise<void> {
    const { watched, wording, past, isTerminal } = this.#hosting;
    this.#isHeld = true;
    this.#surface.busy();
    if (isTerminal) watched.stream = createStream(process.stdout, { ...wording, past });
    let said: Said | undefined;
    try {
      said = await work((run) => {
        watched.run = run;
      });
    } catch (error) {
      this.#endStream();
      await this.#output.error(error);
    } finally {
      await this.#endTurn(said);
    }
    if (said?.kind === 'unclear') await this.#output.unclear(said);
    else if (said?.standing === 'background') await this.#output.background(said.run);
    this.#showStatus();
  }

  async #endTurn(said: Said | undefined): Promise<void> {
    const streamed = this.#endStream();
    this.#isHeld = false;
    const reply = said !== undefined && 'run' in said ? this.#replyOf(said.run) : undefined;
    // The text of a streamed answer is already on the screen, so it is not printed again.
    if (reply !== undefined && streamed !== '' && streamed.trim() === reply.text.trim()) {
      this.#shown.add(reply.id);
      await this.#output.below(reply);
    }
    this.#hosting.watched.run = undefined;
    await this.#deliver();
    this.#surface.ready();
  }

  #endStream(): string {
    const { watched } = this.#hosting;
    const text = watched.stream?.end() ?? '';
    watched.stream = undefined;
    return text;
  }

  #replyOf(run: string): Written | undefined {
    return this.#hosting.conversation
      .undelivered()
      .findLast((message) => message.run === run && message.kind === 'reply');
  }

  /** During a turn, cancels its run. At the prompt, the second Ctrl-C leaves the chat. */
  #interrupt(): void {
    if (this.#isLeaving) process.exit(130);
    const { conversation, watched, wording } = this.#hosting;
    if (watched.run !== undefined) {
      void conversation.cancel(watched.run, wording.texts.interrupted).catch(() => {});
    } else if (this.#isWarned) this.#surface.close();
    else {
      this.#isWarned = true;
      void this.#surface.print(wording.style.dim(wording.texts.chat.leaveHint));
    }
  }

  async settledWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#hosting.conversation.settled(), over]);
    clearTimeout(timer);
    await this.#deliver();
  }

  async leave(close: () => Promise<void>): Promise<void> {
    this.#isLeaving = true;
    const { conversation, wording, isTerminal, isJson, isRemote } = this.#hosting;
    const open = conversation
      .runs()
      .filter(({ outcome, problem }) => outcome === 'open' && problem === undefined);
    this.#surface.status([]);
    this.#surface.busy();
    const { leaving, waitOver, goesOn } = wording.texts.chat;
    const parting = isRemote ? goesOn : isTerminal ? leaving : waitOver;
    if (open.length > 0 && !isJson)
      await writeTo(process.stderr, `${wording.style.dim(parting(open.length))}\n`);
    if (isTerminal) process.on('SIGINT', () => process.exit(130));
    await close();
    this.#surface.close();
  }
}
