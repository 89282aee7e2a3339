import { describe, expect, it } from 'vitest';
import type { Question } from '../../src/model/question.ts';
import { driver as english } from '../../src/views/texts/en/driver.ts';
import { driver as japanese } from '../../src/views/texts/ja/driver.ts';
import { questionIn } from '../../src/views/texts/question-text.ts';

type Texts = typeof english;

const ask = (
  texts: Texts,
  of: (texts: Texts) => string,
  kind: Question['kind'],
  ...labels: ((texts: Texts) => string)[]
): Question => ({
  id: 'q1',
  kind,
  text: of(texts),
  options: labels.map((label, index) => ({ label: label(texts), value: index })),
});

describe('a question of Dandori is read in the language of the reader', () => {
  it.each<[Question['kind'], (texts: Texts) => string]>([
    ['approval', (texts) => texts.mayCall('files.write', 'destructive')],
    ['approval', (texts) => texts.mayCallAgain('files.write', 'write', 't1')],
    ['approval', (texts) => texts.mayGoOn(2, 'Buy the eggs')],
    ['approval', (texts) => texts.mayAnswer('低脂肪')],
    ['plan_approval', (texts) => texts.mayCarryOut(1, false)],
    ['plan_approval', (texts) => texts.mayCarryOut(5, false)],
    ['plan_approval', (texts) => texts.mayCarryOut(3, true)],
    ['plan_approval', (texts) => texts.mayChange('The market is closed.')],
    ['in_doubt', (texts) => texts.isDone('mail.send', texts.causes.connection_lost)],
    ['in_doubt', (texts) => texts.isOpenInside('shop.order', 2, 'mail.send')],
  ])('%s', (kind, of) => {
    const labels = [
      (texts: Texts) => texts.approve,
      (texts: Texts) => texts.approveForRun,
      (texts: Texts) => texts.callItAgain('mail.send', 2),
      (texts: Texts) => texts.giveUp,
    ];
    const [inEnglish, inJapanese] = [english, japanese].map((texts) => ask(texts, of, kind, ...labels));
    if (inEnglish === undefined || inJapanese === undefined) throw new Error('no question');
    expect(questionIn(inEnglish, 'ja')).toEqual(inJapanese);
    expect(questionIn(inJapanese, 'en')).toEqual(inEnglish);
    expect(questionIn(inJapanese, 'ja')).toEqual(inJapanese);
  });

  it('keeps what a tool says about its call, and what a tool or a model asks', () => {
    const call = ask(english, (texts) => texts.mayCall('k.remove', 'write', 'Removes 1 carton'), 'approval');
    expect(questionIn(call, 'ja').text).toBe('Removes 1 carton。承認しますか？（k.remove、書き込み）');
    const own: Question = {
      id: 'q1',
      kind: 'ambiguity',
      text: 'Approve?',
      options: [{ label: 'Approve', value: 1 }],
    };
    expect(questionIn(own, 'ja')).toEqual(own);
  });

  it('gives the reason of the built-in planner in the language of the reader, and leaves that of a model', () => {
    const asked = (reasoning: string) => ({
      kind: 'approval' as const,
      text: 'Approve a.b? (write)',
      context: { operation: 'a.b', reasoning },
    });
    const reason = (reasoning: string, language: 'en' | 'ja') =>
      (questionIn(asked(reasoning), language).context as { reasoning: string }).reasoning;
    expect(reason('目標「牛乳を捨てて」のため。', 'en')).toBe('You asked: “牛乳を捨てて”');
    expect(reason('You asked: “Throw it away”', 'ja')).toBe('目標「Throw it away」のため。');
    expect(reason('The milk is sour.', 'ja')).toBe('The milk is sour.');
  });
});

describe('a question in Japanese', () => {
  it('offers the verb that it asks with', () => {
    const { mayCall, allowOnce, allowListed, allowPattern, allowTool, refuse, refuseSimilar } = japanese;
    expect(mayCall('files.write', 'write')).toContain('承認しますか');
    for (const label of [allowOnce, allowListed(2), allowPattern('to'), allowTool])
      expect(label).toContain('承認');
    for (const label of [refuse, refuseSimilar(2)]) expect(label).toContain(japanese.reject);
  });
});
