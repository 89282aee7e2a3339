import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriers, type Visit, visit } from '../visit.ts';

let visiting: Visit;

beforeAll(async () => {
  visiting = await visit({
    mcpServers: {
      absent: { command: 'no_such_command_with_a_name_too_long_for_a_phone' },
      calc: { shipped: 'calc' },
    },
  });
});
afterAll(() => visiting[Symbol.asyncDispose]());

describe('the tools of the page', () => {
  it('list the servers, and say why one is not available', async () => {
    const page = await visiting.open('/tools');
    const absent = page.getByRole('row').filter({ hasText: 'absent' });
    await absent.getByText('no_such_command').waitFor();
    expect(await absent.innerText()).toContain('Not available');
    expect(await page.getByRole('row').filter({ hasText: 'calc' }).innerText()).toContain('Connected');
  });

  it('are counted in view on a phone, however long the reason for a missing server is', async () => {
    const page = await visiting.open('/tools', { viewport: { width: 375, height: 740 } });
    const count = page.getByRole('row').filter({ hasText: 'calc' }).getByRole('cell').last();
    const { x, width } = (await count.boundingBox()) ?? { x: Number.NaN, width: 0 };
    expect(x + width).toBeLessThan(375);
  });

  it('are found by keyboard alone, and show their arguments and effect', async () => {
    const page = await visiting.open('/tools');
    await page.getByRole('status').filter({ hasText: '5 tools' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('takes shelf');
    await page.getByText('1 of 5 tools').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Backspace');
    await page.getByText('5 tools', { exact: true }).waitFor();
    const summaries = page.locator('[data-tool] > summary');
    await summaries.nth(1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const tool = page.locator('[data-tool="shop.take"]');
    await tool.getByText('required').first().waitFor();
    expect(await tool.innerText()).toMatch(/Write[\s\S]*Takes an item off the shelf[\s\S]*item string/);
    await tool.getByText('JSON Schema').first().click();
    await tool.getByText('"type": "object"').first().waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  it('are filtered by effect', async () => {
    const page = await visiting.open('/tools?effect=write');
    await page.getByText('2 of 5 tools').waitFor();
    await page.getByLabel('Effect').selectOption('read');
    await page.getByText('3 of 5 tools').waitFor();
    expect(page.url()).toContain('effect=read');
  });
});
