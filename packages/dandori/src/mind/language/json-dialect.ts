import { STEP_OPERATION } from '../../core/step.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import { extractActions } from '../json/extract.ts';
import { ActionScanner } from '../json/scanner.ts';
import { callNames, isAllowed, offeredOperations } from './allowed.ts';
import type { Dialect } from './dialect.ts';
import { hasPlans } from './instructions.ts';
import { hasRefs, namedTools } from './offered.ts';
import { outputFor } from './output.ts';
import { writePrompt } from './prompt.ts';

/** Actions as one JSON object in the text of the answer, with its schema sent along where the provider knows schemas. */
export const jsonDialect: Dialect = {
  write: writePrompt,
  async send(thought, options) {
    const { state } = thought;
    const { mode } = state.settings;
    const tools = mode === 'direct' ? [] : namedTools(thought);
    const own = offeredOperations(thought).map(({ name }) => name);
    const steps = hasRefs(mode) ? [STEP_OPERATION] : [];
    const names = tools?.map(({ name }) => name).sort();
    const operations = names && [...own, ...steps, ...names];
    return { output: outputFor(options, { operations, hasPlans: hasPlans(state) }) };
  },
  listen(thought) {
    const scanner = new ActionScanner({
      onText: thought.onText,
      onAction: (action) => {
        if (isAllowed(action, thought)) thought.onAction?.(action);
      },
    });
    return { text: (piece) => scanner.push(piece) };
  },
  read({ text, calls, finishReason }, thought) {
    const { purpose } = thought;
    const names = callNames(thought);
    const isCut = finishReason === 'length';
    if (text.trim() !== '' || calls.length === 0 || isCut)
      return extractActions(text, { purpose, isCut, names });
    const extraction = extractActions(stringifyJson(calls), { purpose });
    return extraction.ok
      ? { ...extraction, repaired: "calls in the provider's own form taken as the actions" }
      : extraction;
  },
};
