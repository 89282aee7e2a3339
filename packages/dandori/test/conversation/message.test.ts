import { describe, expect, it } from 'vitest';
import { messageText, questionText } from '../../src/cli/chat/message.ts';
import type { Style } from '../../src/cli/style.ts';
import { textsFor } from '../../src/cli/texts.ts';
import type { Message } from '../../src/model/conversation.ts';

const asItIs = (text: string) => text;
const style: Style = {
  bold: asItIs,
  dim: asItIs,
  red: asItIs,
  green: asItIs,
  yellow: asItIs,
  cyan: asItIs,
};
const wording = { texts: textsFor({ language: 'en' }), style };
const reply: Message = {
  id: 'r-abcd',
  role: 'agent',
  kind: 'reply',
  run: 'r-abcd',
  outcome: 'answered',
  text: 'Half of it is done.',
  tally: { done: 1, failed: 1, total: 2 },
  causes: ['x1 (travel.line): closed for the night'],
};

describe('what the agent says in a chat', () => {
  it('has the causes of failures, unless its own words name them', () => {
    expect(messageText(reply, wording)).toBe(
      [
        '  abcd · 1 of 2 tasks · 1 failed',
        '● Half of it is done.',
        '  ✗ x1 (travel.line): closed for the night',
      ].join('\n'),
    );
    const said = { ...reply, text: 'The line is closed for the night.' };
    expect(
      messageText({ ...said, causes: ['x1 (travel.line): closed for the night'] }, wording),
    ).not.toContain('✗');
  });

  it('names the fields of a form with the command that fills it in', () => {
    const form = { type: 'object', properties: { row: {}, note: {} }, required: ['row'] };
    const question = { id: 'q1', kind: 'ambiguity' as const, text: 'Which?', form, blocks: [], askedAt: 0 };
    const shown = questionText({ run: 'r-abcd', question, name: 'q1', text: 'Which?' }, wording);
    expect(shown).toContain('/answer q1 row=…');
  });
});
