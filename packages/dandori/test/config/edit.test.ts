import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIG_TEMPLATE } from '../../src/config/project/index.ts';
import { withEntry, withoutEntry } from '../../src/documents/edit.ts';

const SERVER = { command: 'npx', args: ['-y', '@scope/server', '.'], env: { TOKEN: '${TOKEN}' } };

/** The lines that an edit took away or added. */
function changed(before: string, after: string): { gone: string[]; added: string[] } {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  return {
    gone: old.filter((line) => !fresh.includes(line)),
    added: fresh.filter((line) => !old.includes(line)),
  };
}

describe('an entry that is added to a file', () => {
  it('leaves every other line of the file as it is, with its comments and their columns', () => {
    const after = withEntry(CONFIG_TEMPLATE, ['mcpServers', 'files'], SERVER);
    expect(changed(CONFIG_TEMPLATE, after)).toEqual({
      gone: [],
      added: [
        '  files:',
        '    command: npx',
        '    args: [-y, "@scope/server", .]',
        '    env:',
        '      TOKEN: ${TOKEN}',
      ],
    });
    expect(parse(after).mcpServers.files).toEqual(SERVER);
    const twice = withEntry(after, ['effects', 'files.read'], 'read');
    expect(changed(after, twice)).toEqual({
      gone: ['effects: {}'],
      added: ['effects:', '  files.read: read'],
    });
    expect(parse(twice).effects).toEqual({ 'files.read': 'read' });
  });

  it.each([
    ['an empty file', ''],
    ['a file of comments', '# nothing yet\n'],
    ['another key without a newline at the end', 'mode: direct'],
    ['an empty group', 'mcpServers:\nmode: direct\n'],
    ['an empty group in braces, with a comment', 'mcpServers: {}  # none yet\nmode: direct\n'],
    ['a group in braces', 'mcpServers: { a: { command: x } } # one\nmode: direct\n'],
    ['a deep indentation', 'mcpServers:\n      a:\n            command: x\n\n# after\nmode: direct\n'],
    [
      'a text of several lines',
      'mcpServers:\n  a:\n    command: x\n    args:\n      - |\n        one\n        two\nmode: direct\n',
    ],
    ['lines that end as in Windows', 'mcpServers:\r\n  a:\r\n    command: x\r\nmode: direct\r\n'],
    ['a comment after the last entry', 'mcpServers:\n  a:\n    command: x # why\n  # b:\n  #   command: y\n'],
    ['JSON', '{\n    "mcpServers": {\n        "a": { "command": "x" }\n    }\n}\n'],
    ['JSON on one line', '{"mode":"direct"}'],
    [
      'an entry of the same name',
      'mcpServers:\n  before: { command: a }\n  files:\n    command: old # gone\n  after: { command: b }\n',
    ],
  ])('is there, and everything else too: %s', (_name, text) => {
    const before = (parse(text) ?? {}) as { mcpServers?: object | null };
    const after = withEntry(text, ['mcpServers', 'files'], SERVER);
    expect(parse(after)).toEqual({ ...before, mcpServers: { ...before.mcpServers, files: SERVER } });
    for (const [comment] of text.matchAll(/# (?!gone).*/g)) expect(after).toContain(comment.trim());
    expect(after.endsWith('\n')).toBe(true);
    expect(withEntry(after, ['mcpServers', 'files'], SERVER)).toBe(after);
    const removed = withoutEntry(after, ['mcpServers', 'files']);
    const { files: _files, ...left } = (before.mcpServers ?? {}) as Record<string, unknown>;
    expect(parse(removed)).toEqual({ ...before, mcpServers: left });
    expect(removed.endsWith('\n')).toBe(true);
  });
});
