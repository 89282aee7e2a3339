import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/model/tool.ts';
import { chooseTools, searchTools, toolIndexOf } from '../../src/search/tools.ts';
import { growth, LINEAR } from '../plan/growth.ts';

function tool(name: string, description = '', parameters: Record<string, string> = {}): Tool {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, about]) => [key, { type: 'string', description: about }]),
  );
  const inputSchema = { type: 'object', properties };
  return { name, server: name.split('.')[0] ?? '', description, inputSchema, effect: 'read', trusted: true };
}

const mapOf = (...tools: Tool[]) => new Map(tools.map((one) => [one.name, one]));

const TOOLS = mapOf(
  tool('weather.getCurrentWeather', 'Returns the weather of a city.', { city: 'name of the city' }),
  tool('files.read_text', 'Reads a text file.', { path: 'where it is' }),
  tool('files.deleteFile', 'Removes a file for ever.', { path: 'where it is' }),
  tool('shop.HTTPListProducts', 'Lists what can be bought.'),
  tool('jp.yoyaku', '会議室を予約する', { date: '日付' }),
  tool('odd.x', '', {}),
);
const found = (text: string) => searchTools(text, toolIndexOf(TOOLS)).map(({ tool: { name } }) => name);

describe('a tool is found', () => {
  it.each([
    ['current weather in Kyoto', 'weather.getCurrentWeather'],
    ['READ the text', 'files.read_text'],
    ['deleting files', 'files.deleteFile'],
    ['list products', 'shop.HTTPListProducts'],
    ['会議室の予約をしたい', 'jp.yoyaku'],
    ['東京の天気を教えて', 'weather.getCurrentWeather'],
    ['ファイルを削除', 'files.deleteFile'],
    ['ﾌｧｲﾙを削除', 'files.deleteFile'],
    ['reserve a meeting', 'jp.yoyaku'],
  ])('by "%s"', (text, name) => {
    expect(found(text)[0]).toBe(name);
  });

  it('by nothing that it does not speak of', () => {
    expect(found('こんにちは')).toEqual([]);
    expect(found('')).toEqual([]);
    expect(found('the of and')).toEqual([]);
  });
});

describe('the tools that are described to the mind', () => {
  it('are the same in whatever order the servers came up', () => {
    const reversed = new Map([...TOOLS].reverse());
    const options = { limit: 2, order: [] };
    expect(chooseTools('read or delete a file', reversed, options)).toEqual(
      chooseTools('read or delete a file', TOOLS, options),
    );
  });

  it('come with those that must be called before them, or the rule could never be kept', () => {
    const order = [{ before: 'odd.x', after: 'files.deleteFile' }];
    expect(chooseTools('delete a file', TOOLS, { limit: 2, order })).toEqual(['files.deleteFile', 'odd.x']);
  });
});

describe('ten times the tools take ten times as long', () => {
  it('to read and to search', async () => {
    const ratio = await growth((size) => {
      const many = mapOf(
        ...Array.from({ length: size }, (_, index) =>
          tool(`server${index % 70}.get_thing_${index}`, `Gives thing ${index} of the ${index % 97} kind.`),
        ),
      );
      return searchTools('give me thing 77 of any kind', toolIndexOf(many)).length;
    }, 300);
    expect(ratio).toBeLessThan(LINEAR);
  });
});
