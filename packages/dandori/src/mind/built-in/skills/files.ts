import type { JsonObject } from '../../../model/json.ts';
import { asRows, type Call, pick, type Request, resultsOf, type Skill, type SkillMove } from './skill.ts';

const LIST = 'files.list_files';
const READ = 'files.read_file';
const SEARCH = 'files.search_files';
const WRITE = 'files.write_file';
const EDIT = 'files.edit_file';
const MOVE = 'files.move_file';

/** The most lines of a file, and matches in it, that are shown. */
const MOST_LINES = 60;
const MOST_MATCHES = 30;
const MOST_ENTRIES = 50;

/** A name begins after a space, a mark or a particle: 名前をfinal.txtに. */
const PATH =
  /(?<=^|[^\p{L}\p{N}_./-]|[をにのはがとでへもや])(?:[\w\p{Script=Han}ァ-ヶー.-]+\/)*[\w\p{Script=Han}ァ-ヶー-][\w\p{Script=Han}ァ-ヶー.-]*\.[A-Za-z]\w{0,5}(?![\w/])/gu;
const QUOTED = /"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』|`([^`]+)`/gu;
const SPEAKS_OF_FILES = /ファイル|フォルダー?|ディレクトリ|\bfiles?\b|\bfolders?\b|\bdirector(?:y|ies)\b/i;
/** What takes a language model. */
const TAKES_A_MODEL =
  /要約|まとめて|翻訳|訳して|説明して|解説|レビュー|校正|修正して|直して|改善|分析|summar|translat|explain|review|proofread|\bfix\b|improve|refactor|analy[sz]e/i;
const DELETES = /削除|消して|消去|捨て|\bdelete\b|\bremove\b|\berase\b/i;

/** Files of the shipped `files` server: list, read, search, write, change a passage, rename. */
export const files: Skill = (request) => {
  // Other servers have tools with the same names.
  if (!request.has('files.undo_change')) return undefined;
  const { raw } = request;
  const quotes = [...raw.matchAll(QUOTED)].map(
    ([, ...parts]) => parts.find((part) => part !== undefined) ?? '',
  );
  const bare = raw.replaceAll(QUOTED, ' ');
  const paths = [...new Set([...(bare.match(PATH) ?? []), ...quotes.filter(isPath)])];
  const texts = quotes.filter((quote) => !isPath(quote));
  if (paths.length === 0 && !SPEAKS_OF_FILES.test(bare)) return undefined;
  const said: Said = { bare, paths, texts };
  if (TAKES_A_MODEL.test(bare))
    return cannot(request, '言語モデルが必要な依頼です。', 'This takes a language model.');
  return (
    moving(said, request) ??
    editing(said, request) ??
    writing(said, request) ??
    searching(said, request) ??
    deleting(said, request) ??
    reading(said, request) ??
    listing(said, request)
  );
};

interface Said {
  /** The goal without what is quoted. */
  readonly bare: string;
  readonly paths: readonly string[];
  readonly texts: readonly string[];
}

function isPath(text: string): boolean {
  const [found] = text.match(PATH) ?? [];
  return found === text;
}

function cannot({ language }: Request, japanese: string, english: string): SkillMove {
  return { kind: 'cannot', why: pick(language, japanese, english) };
}

function moving({ bare, paths: [from, to, ...more], texts }: Said, request: Request): SkillMove | undefined {
  if (!/名前を|リネーム|改名|移動|移して|\brename\b|\bmove\b/i.test(bare) || more.length + texts.length > 0)
    return undefined;
  if (from === undefined || to === undefined)
    return cannot(request, '変更前と変更後のファイル名を書いてください。', 'Name the file and its new name.');
  return change({ operation: MOVE, args: { from, to } }, request, [
    `${from} を ${to} に移動しました`,
    `Moved ${from} to ${to}`,
  ]);
}

function editing({ bare, paths: [path, ...more], texts }: Said, request: Request): SkillMove | undefined {
  if (path === undefined || more.length > 0 || texts.length !== 2) return undefined;
  const isReplacing =
    /を.{0,6}(?:に|へ)(?:変|置|書き換え|直)|\breplace\b.*\b(?:with|by)\b|\bchange\b.*\bto\b/i.test(bare);
  const [old = '', text = ''] = texts;
  if (!isReplacing) return undefined;
  return change({ operation: EDIT, args: { path, edits: [{ old, new: text }] } }, request, [
    `${path} の「${old}」を「${text}」に変更しました`,
    `Replaced "${old}" with "${text}" in ${path}`,
  ]);
}

function writing({ bare, paths: [path, ...more], texts }: Said, request: Request): SkillMove | undefined {
  const [text, ...others] = texts;
  const isWriting =
    /書い|書き|保存|作成|作って|追記|追加|\bwrite\b|\bsave\b|\bcreate\b|\bput\b|\bappend\b|\badd\b/i.test(
      bare,
    );
  if (path === undefined || !isWriting) return undefined;
  if (more.length + others.length > 0) return undefined;
  if (text === undefined)
    return cannot(request, `書き込む内容を「」で囲んで書いてください。`, 'Put the text to write in quotes.');
  const done = [`${path} に書き込みました`, `Wrote ${path}`] as const;
  if (!/追記|追加|足して|\bappend\b|\badd\b/i.test(bare))
    return change({ operation: WRITE, args: { path, text } }, request, done);
  const found = resultsOf([{ operation: READ, args: { path } }], request);
  if ('missing' in found) return request.isOrder ? found.missing : notAnOrder(request);
  const [old = {}] = found.results;
  if (old.truncated === true || typeof old.text !== 'string')
    return cannot(request, `${path} が大きすぎるため、追記できません。`, `${path} is too large to add to.`);
  const before = old.text === '' || old.text.endsWith('\n') ? old.text : `${old.text}\n`;
  const args = {
    path,
    text: `${before}${text}\n`,
    ...(typeof old.sha256 === 'string' && { expected_sha256: old.sha256 }),
  };
  return change({ operation: WRITE, args }, request, done);
}

function notAnOrder(request: Request): SkillMove {
  return cannot(
    request,
    '変更の依頼として読み取れませんでした。',
    'I could not read this as an order to change something.',
  );
}

function change(call: Call, request: Request, [japanese, english]: readonly [string, string]): SkillMove {
  if (!request.isOrder) return notAnOrder(request);
  if (!request.isDone(call)) return { kind: 'call', calls: [call] };
  const result = request.result(call);
  const number =
    typeof result === 'object' && result !== null && 'change' in result ? result.change : undefined;
  const undo = typeof number === 'string' ? number : undefined;
  return {
    kind: 'answer',
    text: pick(
      request.language,
      `${japanese}${undo === undefined ? '' : `（元に戻す番号：${undo}）`}。`,
      `${english}${undo === undefined ? '' : ` (to undo: change ${undo})`}.`,
    ),
  };
}

function deleting({ bare, paths }: Said, request: Request): SkillMove | undefined {
  if (paths.length === 0 || !DELETES.test(bare)) return undefined;
  return cannot(request, 'ファイルを削除するツールがありません。', 'No tool here deletes files.');
}

const SEARCHES =
  /検索|探し|含む|含まれ|出てくる|書いてある|書かれている|\bsearch\b|\bgrep\b|\bfind\b|\bcontain(?:s|ing)?\b|\bmentions?\b|\blook for\b/i;

function searching({ bare, paths, texts }: Said, request: Request): SkillMove | undefined {
  if (!SEARCHES.test(bare)) return undefined;
  const [quoted, ...others] = texts;
  const text = quoted ?? wantedIn(bare);
  if (others.length > 0 || paths.length > 1) return undefined;
  if (text === undefined)
    return cannot(request, '検索する文字列を「」で囲んで書いてください。', 'Put the text to find in quotes.');
  const [path] = paths;
  const found = resultsOf(
    [{ operation: SEARCH, args: { text, max: MOST_MATCHES, ...(path !== undefined && { name: path }) } }],
    request,
  );
  if ('missing' in found) return found.missing;
  const [{ matches, files_searched: searched, truncated } = {} as JsonObject] = found.results;
  const rows = asRows(matches).map(
    ({ path: file, line, text: words }) => `${file}:${line}: ${String(words).trim()}`,
  );
  const { language } = request;
  if (rows.length === 0) {
    const none = pick(
      language,
      `「${text}」は見つかりませんでした（${String(searched)} ファイルを検索）。`,
      `No file contains "${text}" (${String(searched)} searched).`,
    );
    return { kind: 'answer', text: none };
  }
  const more = truncated === true ? [pick(language, '… ほかにもあります。', '… and more.')] : [];
  return { kind: 'answer', text: [...rows, ...more].join('\n') };
}

/** The word to find where nothing is quoted: "Search the files for price", 価格を含むファイル. */
function wantedIn(bare: string): string | undefined {
  const [, english] =
    /\b(?:for|contain(?:s|ing)?|mentions?|mentioning) (?:the (?:word|text) )?([\w-]+)[.?!]*$/i.exec(
      bare.trim(),
    ) ??
    /\b(?:find|search for|look for) (?:the (?:word|text) )?([\w-]+) in (?:\w+ ){0,2}(?:files|folder)/i.exec(
      bare,
    ) ??
    [];
  const [, japanese] =
    /(?:^|から|で|に|の中の?|[、\s])([\p{L}\p{N}_-]{1,20}?)(?:という(?:語|言葉|文字|文字列))?(?:を(?:含む|含んだ|検索|探)|が(?:含まれ|出てくる|書いて|書かれ|入って|ある))/u.exec(
      bare,
    ) ?? [];
  return english ?? (japanese !== undefined && !SPEAKS_OF_FILES.test(japanese) ? japanese : undefined);
}

const READS =
  /読|見せ|表示|開|中身|内容|教え|何が書|\bread\b|\bshow\b|\bopen\b|\bprint\b|\bcat\b|\bdisplay\b|\bwhat(?:'s|’s| is| does)\b|\btell\b/i;
const COUNTS_LINES = /何行|行数|how many lines|number of lines|count the lines|line count/i;

function reading({ bare, paths: [path, ...more], texts }: Said, request: Request): SkillMove | undefined {
  if (path === undefined || more.length + texts.length > 0) return undefined;
  const isCount = COUNTS_LINES.test(bare);
  const [, first = ''] =
    /(?:最初の|先頭の?|冒頭の?|first|top)\s*(\d+)\s*(?:行|lines?)/i.exec(bare.normalize('NFKC')) ?? [];
  if (!isCount && first === '' && !READS.test(bare)) return undefined;
  const most = isCount ? 1 : first === '' ? MOST_LINES : Math.min(Number(first), 200);
  const found = resultsOf([{ operation: READ, args: { path, max_lines: most } }], request);
  if ('missing' in found) return found.missing;
  const [{ text, lines, to_line: to, truncated } = {} as JsonObject] = found.results;
  const { language } = request;
  if (isCount) {
    // The server counts the empty line after the last line break.
    const last = resultsOf([{ operation: READ, args: { path, from_line: Number(lines) } }], request);
    if ('missing' in last) return last.missing;
    const count = Number(lines) - (last.results[0]?.text === '' ? 1 : 0);
    return {
      kind: 'answer',
      text: pick(language, `${path} は ${count} 行です。`, `${path} has ${count} lines.`),
    };
  }
  const rest =
    truncated === true && first === ''
      ? [
          pick(
            language,
            `…（全 ${String(lines)} 行のうち ${String(to)} 行まで）`,
            `… (${String(to)} of ${String(lines)} lines)`,
          ),
        ]
      : [];
  const body = String(text ?? '').trimEnd();
  return {
    kind: 'answer',
    text: [body === '' ? pick(language, '（空のファイル）', '(empty file)') : body, ...rest].join('\n'),
  };
}

const LISTS =
  /一覧|リスト|中身|何が|どんな|どれ|見せ|表示|教え|いくつ|何個|何件|\blist\b|\bshow\b|\bwhat\b|\bwhich\b|\bhow many\b|\bls\b|\bdisplay\b/i;

function listing({ bare, paths, texts }: Said, request: Request): SkillMove | undefined {
  if (paths.length + texts.length > 0 || !LISTS.test(bare)) return undefined;
  const [, ending] =
    /\.?\b([a-z]{1,5})(?:\s*ファイル| files\b)/i.exec(
      bare.replace(/\b(?:the|all|my|these|text|which|what|many|of|in)\b/gi, ' '),
    ) ?? [];
  const [, folder] =
    /([\w./-]+)\s*(?:フォルダー?|ディレクトリ|という名前のフォルダ)/.exec(bare) ??
    /\b(?:in|of|inside|under)\s+(?:the\s+)?(?:folder\s+)?([\w.-]+(?:\/[\w.-]+)*)(?:\s+(?:folder|directory))/i.exec(
      bare,
    ) ??
    [];
  const path = folder?.replace(/\/$/, '');
  const name = ending === undefined ? undefined : (KINDS.get(ending.toLowerCase()) ?? ending.toLowerCase());
  const args: JsonObject = {
    ...(path !== undefined && { path }),
    ...(name !== undefined && { name: `*.${name}`, depth: 20 }),
  };
  const found = resultsOf([{ operation: LIST, args }], request);
  if ('missing' in found) return found.missing;
  const [{ entries } = {} as JsonObject] = found.results;
  const all = asRows(entries);
  const { language } = request;
  if (/いくつ|何個|何件|how many/i.test(bare)) {
    const count = all.filter(({ type }) => type === 'file').length;
    return {
      kind: 'answer',
      text: pick(language, `ファイルは ${count} 個です。`, `${count} file${count === 1 ? '' : 's'}.`),
    };
  }
  if (all.length === 0)
    return {
      kind: 'answer',
      text: pick(language, '該当するファイルはありません。', 'There are no such files.'),
    };
  const lines = all
    .slice(0, MOST_ENTRIES)
    .map(({ path: file, type, bytes }) =>
      type === 'folder'
        ? `${file}/`
        : pick(
            language,
            `${file}（${Number(bytes).toLocaleString('en')} バイト）`,
            `${file} (${Number(bytes).toLocaleString('en')} bytes)`,
          ),
    );
  const more = all.length - MOST_ENTRIES;
  const rest = more <= 0 ? [] : [pick(language, `… ほか ${more} 件`, `… and ${more} more`)];
  return { kind: 'answer', text: [...lines, ...rest].join('\n') };
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['markdown', 'md'],
  ['python', 'py'],
  ['yaml', 'yaml'],
]);
