import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/model/json.ts';

const SHARED = join(import.meta.dirname, '../../src/views/texts');
const PAGE = join(import.meta.dirname, '../../../web/src/texts');
const LANGUAGES = ['en', 'ja'] as const;
type Language = (typeof LANGUAGES)[number];

/** One text with two meanings: each may stand in a catalogue of its own. The comment says which. */
const HOMONYMS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Input', // what a tool asks for; tokens of a prompt
    'Next', // a suggestion; the next page of a long result
    'Note', // what a user adds to a run; a remark about a plan
    'Start', // a button; the time when something started
    'Time', // how long; when
  ],
  ja: [
    'すべて', // "Every call"; "All"
    'サーバー', // "Servers" of tools; a process with the role "Server"
    '上限を引き上げ', // "limits raised"; the button "Raise limits"
    '入力', // as in English
    '削除', // the button "Remove"; "Removed"
    '変更して承認', // the button "Approve with changes"; "Approved with changes"
    '失敗', // "Failed"; a "Failure"
    '承認', // the button "Approve"; the setting "Approval"
    '設定', // the "Settings" of a run; the "Configuration" file
    '評価', // a "Rating"; the button "Rate"
    '開始', // as in English
  ],
};

interface Text {
  readonly language: Language;
  readonly text: string;
  readonly file: string;
}

/** A catalogue of the shared texts has one language. One of the page has both, in objects called `en` and `ja`. */
function textsIn(folder: string, name: string, whole?: Language): Text[] {
  const path = join(folder, name);
  const file = folder === PAGE ? `web/${name}` : basename(name);
  const found: Text[] = [];
  const add = (text: string, isText: RegExp, language: Language | undefined) => {
    if (language !== undefined && isText.test(text)) found.push({ language, text, file });
  };
  const visit = (node: unknown, language: Language | undefined): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, language);
    if (!isObject(node) || /^Import|^TS(Type|Interface|Literal)/.test(String(node.type))) return;
    const { type, callee, quasis } = node;
    if (type === 'CallExpression' && isObject(callee) && isNoText(callee)) return;
    if (type === 'Literal' && typeof node.value === 'string') add(node.value, /\p{L}{2}/u, language);
    if (type === 'TemplateLiteral' && Array.isArray(quasis)) {
      const parts = quasis.map((part) =>
        isObject(part) && isObject(part.value) ? String(part.value.cooked) : '',
      );
      // `${shown} of ${all}` is a form, not a label.
      add(parts.join('{}'), /[a-z]{3}|[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/iu, language);
    }
    const inside = languageOf(type === 'Property' ? node.key : node.id) ?? language;
    const parts = type === 'Property' ? [node.value] : Object.values(node);
    for (const part of parts) visit(part, inside);
  };
  visit(parseSync(path, readFileSync(path, 'utf8')).program.body, whole);
  return found;
}

/** Nouns that are counted, and formats of numbers. */
function isNoText({ name, property }: Record<string, unknown>): boolean {
  return name === 'countOf' || (isObject(property) && property.name === 'toLocaleString');
}

function languageOf(key: unknown): Language | undefined {
  return isObject(key) ? LANGUAGES.find((language) => language === key.name) : undefined;
}

const isFile = (name: string) => name.endsWith('.ts');
const texts = [
  ...LANGUAGES.flatMap((language) =>
    readdirSync(join(SHARED, language))
      .filter(isFile)
      .flatMap((name) => textsIn(SHARED, join(language, name), language)),
  ),
  ...readdirSync(PAGE)
    .filter(isFile)
    .flatMap((name) => textsIn(PAGE, name)),
];

describe('the catalogues of the command line and of the page', () => {
  it.each(LANGUAGES)('write a label once, so that no copy keeps the old word (%s)', (language) => {
    const own = texts.filter((one) => one.language === language);
    expect(own.length).toBeGreaterThan(900);
    const repeated = [...Map.groupBy(own, ({ text }) => text)]
      .map(([text, found]) => ({ text, files: [...new Set(found.map(({ file }) => file))] }))
      .filter(({ files }) => files.length > 1);
    // Put it into `labels.ts`: that of `views/texts`, or that of the page if the command line does not say it.
    expect(repeated.filter(({ text }) => !HOMONYMS[language].includes(text))).toEqual([]);
    const needless = HOMONYMS[language].filter((text) => !repeated.some((one) => one.text === text));
    expect(needless).toEqual([]);
  });
});
