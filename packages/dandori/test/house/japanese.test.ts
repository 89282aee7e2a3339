import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { templateIn } from '../../src/cli/commands/init.ts';
import { createProgram } from '../../src/cli/program.ts';
import { CONFIG_TEMPLATE } from '../../src/config/project/index.ts';
import { isObject } from '../../src/model/json.ts';
import { isJapanese } from '../../src/model/text.ts';
import { messages } from '../../src/views/texts/ja/messages/index.ts';
import { createTranslate } from '../../src/views/texts/translate.ts';

const SOURCE = join(import.meta.dirname, '../../src');
const translate = createTranslate(messages);

/** Rooms whose texts reach a user. Prompts, tests and traces are English for everybody. */
const ROOMS = [
  'app',
  'cli',
  'client',
  'commands',
  'config',
  'conversation',
  'documents',
  'driver',
  'history',
].concat(['model', 'plan', 'run', 'server', 'store', 'tools']);

/** Files whose texts no user reads in the language of the terminal, and why. */
const ENGLISH_ONLY: Readonly<Record<string, string>> = {
  'run/laws.ts': 'a broken law is a bug, and its text goes into a report to us',
  'conversation/laws.ts': 'the same',
  'store/conformance/blobs.ts': 'names of test cases',
  'store/conformance/cases.ts': 'said by test cases',
  'store/conformance/dispatcher.ts': 'names of test cases',
  'store/conformance/journal.ts': 'names of test cases',
  'server/metrics.ts': 'descriptions for Prometheus',
  'server/description.ts': 'the list of HTTP operations',
  'server/schemas.ts': 'descriptions in OpenAPI',
  'search/dictionary.ts': 'a dictionary',
  'model/own-tools.ts': 'for the model',
  'conversation/start-run.ts': 'for the model',
  'conversation/tell-run.ts': 'for the model',
  'driver/thoughts.ts': 'for the model',
  'driver/prefetch.ts': 'reasons of aborted calls, never shown',
  'config/template.ts': 'checked below, comment by comment',
  'commands/answer-phrases.ts': 'words that a user may write',
  'run/actions/parse-actions.ts': 'for the model',
  'run/actions/plan-operations.ts': 'for the model',
  'run/actions/step-update.ts': 'for the model',
  'run/actions/own-operations.ts': 'for the model',
  'run/loop.ts': 'for the model',
  'run/trust/aim.ts': 'words in the names of arguments',
  'run/state/version-1/upgrade.ts': 'how old versions wrote, to recognise it',
  'history/save-as-plan.ts': 'keys of a map',
  'cli/menu.ts': 'goals to try, in both languages',
  'cli/setup/completion.ts': 'scripts for shells; its one error is in the catalogue',
};

/** What is said to a database. */
const SQL =
  /^[\s,]*(select|insert into|update|delete from|with \w+ as|create (table|schema)|alter table|set local|h\.worker|worker is |\(select |\{1\}::float8|wake_at =|last_seq =|begun as|id as run|, w\.term|\{1\} returning|and (?:status|owner|h\.owner) |where started_at |(?:count|sum)\() ?/;

/** Texts in the other files that are no messages: parts of a longer one, protocols, what only the model reads. */
const NO_MESSAGES = new Set(
  readFileSync(join(import.meta.dirname, 'english-only.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== ''),
);

/** Every text with words in it, with its placeholders numbered. Types, descriptions and imports are left out. */
function textsIn(file: string): string[] {
  const found = new Set<string>();
  const add = (text: string) => {
    if (/[a-z]{2,} [a-z{"`$]/i.test(text) && /[a-z]/.test(text)) found.add(text);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (!isObject(node) || LEFT_OUT.has(String(node.type))) return;
    const { type, key, callee } = node;
    if (type === 'Property' && isObject(key) && DESCRIBING.has(String(key.name))) return;
    if (type === 'Literal' && typeof node.value === 'string') add(node.value);
    if (type === 'TemplateLiteral' && Array.isArray(node.quasis)) {
      const parts = node.quasis.map((quasi) =>
        isObject(quasi) && isObject(quasi.value) ? quasi.value.cooked : '',
      );
      add(parts.map((part, index) => `${index === 0 ? '' : `{${index}}`}${String(part)}`).join(''));
    }
    if (type === 'CallExpression' && isDescription(callee)) visit(callee);
    else for (const value of Object.values(node)) visit(value);
  };
  const { body } = parseSync(file, readFileSync(join(SOURCE, file), 'utf8')).program;
  // Everything else in a route is its description in OpenAPI.
  visit(file.startsWith('server/routes/') ? errorsIn(body) : body);
  return [...found];
}

function errorsIn(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(errorsIn);
  if (!isObject(node)) return [];
  const isError =
    node.type === 'NewExpression' && isObject(node.callee) && node.callee.name === 'DandoriError';
  return isError ? [node] : Object.values(node).flatMap(errorsIn);
}

const LEFT_OUT = new Set([
  'ImportDeclaration',
  'TemplateElement',
  'TSLiteralType',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
]);
const DESCRIBING = new Set(['summary', 'description', 'title']);

function isDescription(callee: unknown): boolean {
  if (!isObject(callee) || callee.type !== 'MemberExpression' || !isObject(callee.property)) return false;
  return callee.property.name === 'describe' || callee.property.name === 'openapi';
}

/** A part of a message is translated within it: after its key, after a task, in a list of problems. */
function isTranslated(template: string): boolean {
  const text = template.replaceAll(/\{(\d)\}/g, 'x$1').trim();
  const frames = [text, `key ${text}`, `key ${text}, not "y"`, `it ${text}`];
  return frames.some((frame) => {
    const translated = translate(frame);
    return translated !== frame && isJapanese(translated);
  });
}

/** What a line of a configuration says to its reader. A key that is commented out says nothing. */
function commentOf(line: string): string {
  const comment = line.slice(line.lastIndexOf('# ') + 2);
  return !line.includes('# ') || /^[ -]*([\w.*<>]+:|[{])/.test(comment) ? '' : comment;
}

describe('what a user reads is also there in Japanese:', () => {
  it('every message in the source (add it to src/views/texts/ja/messages)', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        file.endsWith('.ts') && ROOMS.includes(file.split('/')[0] ?? '') && ENGLISH_ONLY[file] === undefined,
    );
    const texts = files.flatMap((file) => textsIn(file).map((text) => ({ file, text })));
    expect(texts.length).toBeGreaterThan(400);
    const missing = texts.filter(
      ({ text }) => !NO_MESSAGES.has(text.trim()) && !SQL.test(text) && !isTranslated(text),
    );
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('the help of every command and every option', () => {
    const missing: string[] = [];
    const program = createProgram();
    for (const command of [program, ...program.commands.filter((one) => one.description() !== '')]) {
      const options = command.options.filter(({ hidden }) => !hidden);
      for (const text of [command.description(), ...options.map(({ description }) => description)])
        if (!isJapanese(translate(text))) missing.push(`${command.name()}: ${text}`);
    }
    expect(missing).toEqual([]);
  });

  it('the comments of the file that init writes, which means the same', () => {
    const japanese = templateIn({ message: translate });
    expect(parse(japanese)).toEqual(parse(CONFIG_TEMPLATE));
    const english = CONFIG_TEMPLATE.split('\n').map(commentOf);
    const same = japanese
      .split('\n')
      .map(commentOf)
      .filter((comment, index) => comment === english[index] && /[a-z]+ [a-z]+ [a-z]/.test(comment));
    expect(same).toEqual([]);
    expect(japanese.split('\n').filter((line) => isJapanese(line)).length).toBeGreaterThan(55);
  });
});

describe('the Japanese catalogue', () => {
  it('uses the words of the glossary, full-width punctuation, and no English sentence', () => {
    const wrong = /ゴール|利用者|誰か|キャンセル|骨子|改訂|結末|最長経路|破壊的|することができ/;
    const half = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}][:?(]/u;
    const close =
      /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}][A-Za-z0-9]|[A-Za-z0-9][\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u;
    const english = /\b(the|is|are|must|cannot|and|of|with)\b [a-z]+ [a-z]+/;
    const found = Object.values(messages).filter(
      (text) =>
        wrong.test(text) ||
        half.test(text) ||
        close.test(text.replaceAll(/"[^"]*"/g, '')) ||
        english.test(text),
    );
    expect(found).toEqual([]);
  });

  it('uses every placeholder of its English text, and no other', () => {
    const numbers = (text: string) =>
      [...new Set([...text.matchAll(/\{(\d)\}/g)].map(([, number]) => number))].sort();
    const wrong = Object.entries(messages).filter(([english, japanese]) => {
      const [given, used] = [numbers(english), numbers(japanese)];
      return used.some((number) => !given.includes(number)) || given.length - used.length > 1;
    });
    expect(wrong).toEqual([]);
  });
});
