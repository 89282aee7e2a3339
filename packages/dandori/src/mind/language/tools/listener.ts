import { stringifyJson } from '../../../domain/json-text.ts';
import type { Thought } from '../../../ports/mind.ts';
import { ActionScanner } from '../../json/scanner.ts';
import { JsonWalker } from '../../json/walker.ts';
import { isAllowed, mayCallTools } from '../allowed.ts';
import type { SpokenCall } from '../call.ts';
import type { Listener } from '../dialect.ts';
import type { NativeNames } from './names.ts';
import { readCall } from './read.ts';

/** A call that is being written. */
interface Writing {
  readonly name: string;
  readonly walker: JsonWalker;
  text: string;
  /** As soon as it is known. */
  complete: SpokenCall | undefined;
}

/**
 * Tells native calls as they complete, and the text of an answer as it is written. The SDK tells the calls of some
 * providers only at the very end, so that their brackets are watched here.
 *
 * L1  An action is told once, in the order of the calls, with the id and the arguments that it has in the end. After
 *     one that cannot be read nothing more is told.
 * L2  The text of `answer` is told if it is the first call, as in the other dialect.
 * L3  Text beside calls is no answer. So it is told only where no tool may be called; elsewhere it is not known before
 *     the end what it is.
 */
export class NativeListener implements Listener {
  readonly #thought: Thought;
  readonly #names: NativeNames;
  readonly #calls = new Map<string, Writing>();
  #told = 0;
  #isSilent = false;
  /** The call whose text is told. */
  #answering: { readonly id: string; readonly scanner: ActionScanner } | undefined;
  /** Undefined where text is not told. */
  #prose: ActionScanner | undefined;
  #hasBegun = false;

  constructor(thought: Thought, names: NativeNames) {
    this.#thought = thought;
    this.#names = names;
    if (!mayCallTools(thought)) this.#prose = this.#scanner('{"operation":"answer","args":{"text":"');
  }

  text(piece: string): void {
    if (this.#prose === undefined) return;
    const text = this.#hasBegun ? piece : piece.trimStart();
    // Actions as text, a fence around them, or a thought in tags: nothing to show.
    if (!this.#hasBegun && /^[{[`<]/.test(text)) this.#prose = undefined;
    this.#hasBegun ||= text !== '';
    this.#prose?.push(stringifyJson(text).slice(1, -1));
  }

  callStarted(id: string, name: string): void {
    if (this.#calls.size === 0 && this.#names.toOperation(name) === 'answer')
      this.#answering = { id, scanner: this.#scanner('{"operation":"answer","args":') };
    this.#calls.set(id, { name, walker: new JsonWalker(), text: '', complete: undefined });
  }

  callPiece(id: string, piece: string): void {
    if (this.#answering?.id === id) this.#answering.scanner.push(piece);
    const call = this.#calls.get(id);
    if (call === undefined || call.complete !== undefined) return;
    call.text += piece;
    call.walker.push(piece);
    if (call.walker.values.length > 0) this.#completed(id, { id, name: call.name, arguments: call.text });
  }

  call(call: SpokenCall): void {
    if (!this.#calls.has(call.id)) this.callStarted(call.id, call.name);
    this.#completed(call.id, call);
  }

  #completed(id: string, call: SpokenCall): void {
    const writing = this.#calls.get(id);
    if (writing !== undefined) writing.complete ??= call;
    for (const { complete } of [...this.#calls.values()].slice(this.#told)) {
      if (complete === undefined || this.#isSilent) return;
      this.#tell(complete);
    }
  }

  #tell(call: SpokenCall): void {
    const read = readCall(call, this.#told++, { thought: this.#thought, names: this.#names });
    if (!read.ok) this.#isSilent = true;
    else if (isAllowed(read.action, this.#thought)) this.#thought.onAction?.(read.action);
  }

  /** It knows how to tell the text of an answer: no half characters, and no Refs. */
  #scanner(beginning: string): ActionScanner {
    const scanner = new ActionScanner({ onText: this.#thought.onText });
    scanner.push(beginning);
    return scanner;
  }
}
