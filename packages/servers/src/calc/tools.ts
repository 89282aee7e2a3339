import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { answer } from '../answer.ts';
import { READ_ONLY } from '../hints.ts';
import { spoken } from '../said.ts';
import { MAX_LENGTH, normalize } from './notation.ts';
import { plainArithmetic } from './plain-arithmetic.ts';

export const evaluateInput = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(MAX_LENGTH)
    .describe(
      '計算式 (expression), e.g. "1200 * 3 + 8%" or "（１００＋２００）×３". Full-width characters, ×, ÷ and ' +
        'thousands separators are accepted; inside a function call a comma separates arguments.',
    ),
});

/** Sums, differences, products and exact quotients. Undefined if the expression holds anything else. */
export function evaluatePlain({ expression }: z.infer<typeof evaluateInput>): CallToolResult | undefined {
  const understood = normalize(expression);
  const text = plainArithmetic(understood);
  return text === undefined ? undefined : calculated(understood, { result: Number(text), text });
}

function calculated(expression: string, { result, text }: { result: number; text: string }): CallToolResult {
  return answer({ expression, result, text }, `${expression} = ${text}`);
}

export function registerTools(server: McpServer): void {
  server.registerTool(
    'evaluate',
    {
      title: 'Calculate (計算)',
      description:
        'Calculate an arithmetic expression exactly and return the number. ' +
        '計算 (calculate): 足し算・引き算・掛け算・割り算・合計・平均・割合・税込・累乗・平方根・数式を計算する. ' +
        'Operators + - * / ^ % mod !, brackets, and functions such as sqrt, round, sum, mean, max, log, sin.',
      inputSchema: evaluateInput,
      outputSchema: z.object({
        expression: z.string().describe('The expression as it was understood (計算した式)'),
        result: z.number().describe('The result as a number (計算結果)'),
        text: z.string().describe('The result with every digit, also beyond 2^53 (全桁の計算結果)'),
      }),
      annotations: READ_ONLY,
    },
    spoken(async (input) => {
      const plain = evaluatePlain(input);
      if (plain !== undefined) return plain;
      // Loaded late: mathjs takes longer to load than everything else together.
      const { evaluate } = await import('./evaluation.ts');
      const understood = normalize(input.expression);
      return calculated(understood, evaluate(understood));
    }),
  );
}
