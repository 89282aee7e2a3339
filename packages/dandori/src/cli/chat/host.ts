import type { ConversationClient } from '../../app/index.ts';
import type { GivenAttachment } from '../../commands/index.ts';
import type { Asked, Said, Written } from '../../conversation/index.ts';
import { DandoriError } from '../../model/error.ts';
import type { Event } from '../../model/event.ts';
import { stringifyJson } from '../../model/json.ts';
import { asTyped } from '../command-line.ts';
import { exitCodeOf } from '../exit-code.ts';
import { errorTexts } from '../print-error.ts';
import { parseOneAnswer } from '../questions/parse-answer.ts';
import { oneLine } from '../style.ts';
import {
  type CommandContext,
  questionList,
  questionName,
  runCommand,
  statusText,
  suggestionOf,
} from './commands.ts';
import { linesBelow, messageText, questionText, shortName, userText, type Wording } from './message.ts';
import { createStream, type Stream } from './stream.ts';
import { openPipe, type Surface, writeTo } from './surface.ts';
import { openTerminal } from './terminal.ts';

/** How many earlier messages are shown when a conversation continues. */
const SHOWN_BEFORE = 6;

export interface Hosting {
  readonly conversation: ConversationClient;
  readonly wording: Wording;
  readonly watched: { stream?: Stream | undefined; run?: string | undefined };
  readonly past: (run: string) => Promise<Event[]>;
  readonly isTerminal: boolean;
  readonly isJson: boolean;
  /** A server does the work and continues it after this process ends. */
  readonly isRemote: boolean;
}

interface Leaving {
  readonly wait: number;
  readonly config: string | undefined;
  readonly close: () => Promise<void>;
}

/** Connects a surface to a conversation: sends what the user enters, and shows the messages that arrive. */
export function createHost({ conversation, wording, watched, past, isTerminal, isJson, isRemote }: Hosting) {
  const { style } = wording;
  let surface: Surface;
  let isHeld = false;
  let isWarned = false;
  let isLeaving = false;
  let delivering: Promise<void> = Promise.resolve();
  const shown = new Set<string>();
  const attached: GivenAttachment[] = [];
  let lastShown =
    conversation.messages().findLast(({ id }) => conversation.state?.delivered.has(id))?.id ?? '';

  const say = (text: string) =>
    surface.print(isJson ? stringifyJson({ type: 'notice', text }) : spaced(text));
  const printError = (error: unknown) => {
    if (!(error instanceof DandoriError)) throw error;
    const { code, message, fix } = error;
    const [said, help] = errorTexts(error, wording.texts);
    if (isJson) return surface.print(stringifyJson({ type: 'error', error: { code, message, fix } }));
    const head = `${style.red(`error[${code}]:`)} ${said}`;
    const { labelled, fix: label } = wording.texts;
    return surface.print(help === undefined ? head : `${head}\n${labelled(style.bold(label), help)}`);
  };

  /** Shows new messages in order. Each one is acknowledged only after it was really written. */
  function deliver(): Promise<void> {
    delivering = delivering.then(async () => {
      if (isHeld) return;
      for (const message of conversation.undelivered()) {
        if (!shown.has(message.id)) await show(message);
        shown.add(message.id);
        lastShown = message.id;
        await conversation.acknowledge(message.id);
      }
    });
    return delivering;
  }

  async function show(message: Written): Promise<void> {
    const asked = openOf(message);
    if (isJson) {
      const question = asked === undefined ? {} : { ask: asked.question };
      return surface.print(stringifyJson({ type: 'message', ...message, ...question }));
    }
    if (message.kind !== 'question') return surface.print(spaced(messageText(message, wording)));
    if (asked !== undefined) await surface.print(spaced(askedText(asked, message)));
  }

  function askedText(asked: Asked, { text }: Written): string {
    return questionText({ ...asked, name: questionName(asked, conversation.questions()), text }, wording);
  }

  /** Adds an empty line between messages on a terminal. */
  function spaced(text: string): string {
    return isTerminal ? `${text}\n` : text;
  }

  function showStatus(): void {
    const runs = conversation.runs().filter(({ outcome, run }) => outcome === 'open' && run !== watched.run);
    const lines = runs.map(
      (one) =>
        `${style.cyan('▸')} ${style.dim(`${shortName(one.run)} ${oneLine(one.goal, 40)} ·`)} ${statusText(one, wording)}`,
    );
    surface.status(lines);
  }

  /** Runs one turn. Other messages are held back until the user no longer waits for it. */
  async function waitFor(work: (onBegun: (run: string) => void) => Promise<Said>): Promise<void> {
    isHeld = true;
    surface.busy();
    if (isTerminal) watched.stream = createStream(process.stdout, { ...wording, past });
    let said: Said | undefined;
    try {
      said = await work((run) => {
        watched.run = run;
      });
    } catch (error) {
      endStream();
      await printError(error);
    } finally {
      const streamed = endStream();
      isHeld = false;
      const reply = said !== undefined && 'run' in said ? replyOf(said.run) : undefined;
      // The text of a streamed answer is already on the screen, so it is not printed again.
      if (reply !== undefined && streamed !== '' && streamed.trim() === reply.text.trim()) {
        shown.add(reply.id);
        const below = linesBelow(reply, wording);
        if (below.length > 0) await surface.print(spaced(below.join('\n')));
      }
      watched.run = undefined;
      await deliver();
      surface.ready();
    }
    if (said?.kind === 'unclear') await unclear(said);
    else if (said?.standing === 'background') await background(said.run);
    showStatus();
  }

  function endStream(): string {
    const text = watched.stream?.end() ?? '';
    watched.stream = undefined;
    return text;
  }

  function replyOf(run: string): Written | undefined {
    return conversation.undelivered().findLast((message) => message.run === run && message.kind === 'reply');
  }

  function unclear({ why, questions }: Said & { kind: 'unclear' }): Promise<void> {
    if (isJson) return surface.print(stringifyJson({ type: 'unclear', why, questions }));
    const { nextHint, unclear: titles } = wording.texts.chat;
    const suggested = why === 'talked_over' ? suggestionOf(conversation) : undefined;
    const lines =
      suggested === undefined ? [] : [`  ${style.bold(nextHint)}  ${oneLine(suggested.text, 80)}`];
    return surface.print([questionList(questions, wording, titles[why]), ...lines].join('\n'));
  }

  function background(run: string): Promise<void> {
    if (isJson) return surface.print(stringifyJson({ type: 'background', run }));
    return surface.print(spaced(style.dim(wording.texts.chat.inBackground(shortName(run)))));
  }

  const context = (): CommandContext => ({
    ...wording,
    conversation,
    say,
    attached,
    answer: ({ run, question }, typed, comment) =>
      waitFor(async (onBegun) => {
        const value = parseOneAnswer(typed, question);
        onBegun(run);
        return conversation.answer({ run, question: question.id }, value, { comment });
      }),
    // Nothing was seen, so the words answer no question.
    begin: (text) => waitFor((onBegun) => conversation.say(text, { onBegun, seen: '' })),
    decline: ({ run, question }, comment) =>
      waitFor((onBegun) => {
        onBegun(run);
        return conversation.answer({ run, question: question.id }, null, { declined: true, comment });
      }),
  });

  /** During a turn, cancels its run. At the prompt, the second Ctrl-C leaves the chat. */
  function interrupt(): void {
    if (isLeaving) process.exit(130);
    const { run } = watched;
    if (run !== undefined) {
      void conversation.cancel(run, wording.texts.interrupted).catch(() => {});
    } else if (isWarned) surface.close();
    else {
      isWarned = true;
      void surface.print(style.dim(wording.texts.chat.leaveHint));
    }
  }

  async function welcome(config: string | undefined): Promise<void> {
    if (!isTerminal) return;
    const { state } = conversation;
    const title = `${style.bold('Dandori 段取り')} ${style.dim(`· ${conversation.model}`)}`;
    const before = conversation
      .messages()
      .filter((message) => message.role === 'user' || state?.delivered.has(message.id));
    // Open questions come last, with how to answer them, however old they are.
    const waiting = before.flatMap((message) => {
      const asked = openOf(message);
      return asked === undefined ? [] : [askedText(asked, message)];
    });
    const past = before.filter((message) => openOf(message) === undefined);
    const when = state === undefined ? '' : new Date(state.startedAt).toLocaleString('sv-SE').slice(0, 16);
    const hint = state === undefined ? wording.texts.chat.welcome : wording.texts.chat.continued(when);
    await writeTo(process.stdout, `${title}\n${style.dim(asTyped(hint, config))}\n\n`);
    for (const message of past.slice(-SHOWN_BEFORE))
      await writeTo(
        process.stdout,
        `${message.role === 'user' ? userText(message.text, wording) : messageText(message, wording)}\n`,
      );
    for (const text of waiting) await writeTo(process.stdout, `${text}\n\n`);
  }

  /** The question that this message asks, if it is still open. */
  function openOf({ role, run, question: id }: Written): Asked | undefined {
    if (role !== 'agent' || id === undefined) return undefined;
    return conversation.questions().find((asked) => asked.run === run && asked.question.id === id);
  }

  return {
    async run({ wait, config, close }: Leaving): Promise<number> {
      await welcome(config);
      surface = isTerminal
        ? openTerminal({
            prompt: `${style.cyan(wording.texts.chat.prompt)} `,
            more: style.dim('… '),
            echo: (text) => userText(text, wording),
            history: conversation
              .messages()
              .filter(({ role }) => role === 'user')
              .map(({ text }) => text.replaceAll('\n', ' '))
              .reverse(),
            lastShown: () => lastShown,
            onInterrupt: interrupt,
          })
        : openPipe({ isQuiet: isJson });
      const unwatch = conversation.watch(() => {
        if (isHeld) return;
        showStatus();
        void deliver();
      });
      await deliver();
      showStatus();
      surface.ready();
      for await (const { text, seen } of surface.inputs()) {
        isWarned = false;
        if (/^\/(quit|exit)\s*$/.test(text)) break;
        if (text.trim() === '') continue;
        const isCommand = await runCommand(text, context()).catch(async (error: unknown) => {
          await printError(error);
          return true;
        });
        if (isCommand) continue;
        const attachments = attached.splice(0);
        await waitFor((onBegun) => conversation.say(text, { onBegun, seen, attachments }));
      }
      if (!isTerminal) await settledWithin(wait);
      isLeaving = true;
      await leave(close);
      unwatch();
      return conversation.questions().length > 0 && !isTerminal ? exitCodeOf('waiting') : 0;
    },
  };

  async function settledWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([conversation.settled(), over]);
    clearTimeout(timer);
    await deliver();
  }

  async function leave(close: () => Promise<void>): Promise<void> {
    const open = conversation
      .runs()
      .filter(({ outcome, problem }) => outcome === 'open' && problem === undefined);
    surface.status([]);
    surface.busy();
    const { leaving, waitOver, goesOn } = wording.texts.chat;
    const parting = isRemote ? goesOn : isTerminal ? leaving : waitOver;
    if (open.length > 0 && !isJson) await writeTo(process.stderr, `${style.dim(parting(open.length))}\n`);
    if (isTerminal) process.on('SIGINT', () => process.exit(130));
    await close();
    surface.close();
  }
}
