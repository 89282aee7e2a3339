import { describe, expect, it } from 'vitest';
import { estimateLines } from '../../src/cli/print-report.ts';
import { contextLines } from '../../src/cli/questions/question.ts';
import { textsFor } from '../../src/cli/texts.ts';
import type { Json } from '../../src/model/json.ts';
import type { Estimate } from '../../src/model/plan.ts';

const ESTIMATE: Estimate = {
  calls: 30,
  reads: 20,
  writes: 10,
  irreversible: ['drop'],
  criticalPath: Array.from({ length: 20 }, (_, index) => `t${index + 1}`),
  expectedMs: 1_500,
  worstMs: 90_000,
  cost: 0.5,
  worstCost: 1.5,
};

describe('the cost of a plan', () => {
  it('is shown in a few lines, however long the plan is', () => {
    expect(estimateLines(ESTIMATE, textsFor({ language: 'en' }))).toEqual([
      '30 calls: 20 reads, 10 writes',
      'Destructive: drop',
      `Critical path: ${Array.from({ length: 10 }, (_, index) => `t${index + 1}`).join(' → ')} → … (9) → t20`,
      'Time: about 1.5 s, up to 1 min 30 s',
      'Cost: $0.5, up to $1.5',
    ]);
  });

  it('is shown with the approval of one of its calls, in the language of the user', () => {
    const question = {
      id: 'q1',
      kind: 'approval' as const,
      text: '?',
      context: { operation: 'db.drop', args: {}, effect: 'destructive', plan: ESTIMATE as unknown as Json },
    };
    const lines = contextLines(question, textsFor({ language: 'ja' }));
    expect(lines.slice(0, 5)).toEqual([
      'db.drop',
      '影響：取り消し不可',
      '元に戻す：不可',
      '計画の全体：',
      '  呼び出し 30 回：読み取り 20 回、書き込み 10 回',
    ]);
    expect(lines).toContain('  費用：$0.5、最大 $1.5');
  });
});
