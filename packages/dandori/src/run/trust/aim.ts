import { asObject, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import type { Effect, Tool } from '../../model/tool.ts';

/**
 * The arguments that decide what a call affects: recipient, path, amount, id, URL, command. The others are
 * content, such as the text of a mail. A stranger's text may become content of a call that the user ordered.
 * It must not aim one.
 */
export type Aims = Readonly<Record<string, readonly string[]>>;

/** Words in the name of an argument that is content. Every other argument aims, unless it says when or where. */
const CONTENT = new Set(
  `body text content contents message messages subject title heading description summary note notes comment
  comments detail details caption markdown html reason remark remarks memo abstract greeting signature`.split(
    /\s+/,
  ),
);
/**
 * Words that say when, where or in which form, or what a call expects (`expected_sha256`), which can only make it refuse.
 * Such an argument aims if its value is an address or a path.
 */
const CIRCUMSTANCE = new Set(
  `date dates time times day days start end from_date to_date datetime timezone deadline due when duration
  location place venue color colour format language lang locale verbose expected`.split(/\s+/),
);
const PLACE_TO_REACH = /:\/\/|@|^\s*(?:[\\/~]|\.{1,2}[\\/]|(?:[a-z]|file):[\\/])/i;
/**
 * Words that say how much of the answer is wanted in a read. In a call that changes something, they say how much it
 * changes.
 */
const EXTENT = new Set(['limit', 'max', 'offset', 'count', 'page', 'dry']);

/** Words that make a name aim, although it also has a word of content: `message_id`, `end_user`, `file_date`. */
const AIMING = new Set(
  `id ids to cc bcc recipient recipients address addresses email emails phone user users username account
  accounts iban channel path paths file files filename folder directory url uri link href host domain endpoint
  amount price total quantity sum command cmd query sql code script key token password permission role owner
  target destination group server table`.split(/\s+/),
);

/** Names of arguments that can send data out even in a read: `web.fetch(url)`. */
const WAY_OUT = new Set(
  `url urls uri uris link links href host hostname domain endpoint webhook callback website webpage site
  recipient recipients to email emails proxy remote ip feed rss fqdn nameserver websocket`.split(/\s+/),
);
const OUTSIDE_FORMATS = [
  'uri',
  'uri-reference',
  'iri',
  'url',
  'hostname',
  'idn-hostname',
  'email',
  'idn-email',
];

type Aimed = Pick<Tool, 'name' | 'inputSchema' | 'effect'>;

/**
 * The names of the arguments that aim a call of this tool. `trust.tools` in the configuration overrides it for the
 * arguments that the tool describes.
 */
export function aimsOf(tool: Aimed, args: JsonObject, aims: Aims = {}): string[] {
  const named = Object.hasOwn(aims, tool.name) ? aims[tool.name] : undefined;
  const { properties = {} } = tool.inputSchema;
  const described = asObject(properties);
  const aiming = Object.entries(args)
    .filter(([name, value]) => {
      const schema = Object.hasOwn(described, name) ? described[name] : undefined;
      if (named !== undefined && (schema !== undefined || named.includes(name))) return named.includes(name);
      return runsCode(tool) || isDescribedAsAim(schema, tool) || isAimed(name, value, tool.effect);
    })
    .map(([name]) => name);
  // What `delete(title, force)` deletes, something must say, and yes or no cannot.
  const saysNothing = aiming.every((name) => typeof args[name] === 'boolean');
  const isUnaimed = saysNothing && named === undefined && tool.effect === 'destructive';
  return isUnaimed ? Object.keys(args) : aiming;
}

/** Words in a description that make an argument a target, whatever its name. */
const AIM_WORDS =
  /\b(?:shell|command line|commands?|sql|script|urls?|uri|recipients?|e-?mail address(?:es)?|iban|account number|(?:file )?paths?)\b|コマンド|スクリプト|宛先|送信先|送り先|振込先|口座番号|メールアドレス|ファイルパス/i;

const describedKnown = new WeakMap<JsonObject, boolean>();

/**
 * Whether an argument that sounds like content is described as more, at any depth: `text: "the command to run"`. What the
 * schema refers to belongs to it.
 */
function isDescribedAsAim(schema: Json | undefined, { inputSchema }: Aimed): boolean {
  if (!isObject(schema)) return false;
  const known = describedKnown.get(schema);
  if (known !== undefined) return known;
  // A schema may refer to itself.
  const seen = new Set<JsonObject>();
  const visit = (part: Json): boolean => {
    if (Array.isArray(part)) return part.some(visit);
    if (!isObject(part) || seen.has(part)) return false;
    if (seen.size >= MOST_PARTS) return true;
    seen.add(part);
    const { description, format, $ref } = part;
    if (OUTSIDE_FORMATS.includes(String(format))) return true;
    if (typeof description === 'string' && AIM_WORDS.test(description)) return true;
    if (typeof $ref === 'string' && visit(definition($ref, inputSchema))) return true;
    return Object.values(part).some(visit);
  };
  const found = visit(schema);
  describedKnown.set(schema, found);
  return found;
}

/** `#/$defs/name` or `#/definitions/name`. */
function definition($ref: string, { $defs, definitions }: JsonObject): Json {
  const [, name = ''] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref) ?? [];
  return { ...asObject(definitions ?? null), ...asObject($defs ?? null) }[name] ?? null;
}

/** Words in the name of a tool that runs what it is given, whatever its arguments are called. */
const RUNNING = new Set(
  `exec execute eval evaluate shell bash terminal powershell python javascript sql script command cmd`.split(
    ' ',
  ),
);
const runningKnown = new Map<string, boolean>();

function runsCode({ name }: Aimed): boolean {
  const known = runningKnown.get(name);
  if (known !== undefined) return known;
  const runs = wordsIn(name).some((word) => RUNNING.has(word));
  if (runningKnown.size < MOST_JUDGED) runningKnown.set(name, runs);
  return runs;
}

/** An object aims if a field in it does: `message: {to, text}` has a recipient. */
function isAimed(name: string, value: Json, effect: Effect): boolean {
  if (isAiming(name, effect)) return true;
  if (typeof value === 'string') return PLACE_TO_REACH.test(value) && !wordsIn(name).some(isProse);
  if (Array.isArray(value)) return value.some((item) => isAimed(name, item, effect));
  return isObject(value) && Object.entries(value).some(([inner, one]) => isAimed(inner, one, effect));
}

const isProse = (word: string) => CONTENT.has(word);

const judged = new Map<string, boolean>();
/** Names come from servers, so there may be any number of them. */
const MOST_JUDGED = 10_000;

function isAiming(name: string, effect: Effect): boolean {
  const key = effect === 'read' ? `${name} read` : name;
  const known = judged.get(key);
  if (known !== undefined) return known;
  const words = wordsIn(name);
  const isContent = (word: string) =>
    CONTENT.has(word) || CIRCUMSTANCE.has(word) || (effect === 'read' && EXTENT.has(word));
  const isAim = words.some((word) => AIMING.has(word)) || !words.some(isContent);
  if (judged.size < MOST_JUDGED) judged.set(key, isAim);
  return isAim;
}

/** Words in the name of a tool or server that reads from outside, whatever its arguments are called. */
const OUTSIDE = new Set(
  `web internet online http https browser browse browsing crawl crawler scrape scraper fetch curl wget dns whois
  ping nslookup dig resolve traceroute telnet ssh ftp smtp google bing duckduckgo brave tavily exa serp kagi perplexity
  searx searxng yahoo yandex baidu wikipedia firecrawl jina apify playwright puppeteer selenium`.split(/\s+/),
);

/**
 * Whether a read that does not say it (`openWorldHint`) may reach the open world. By the protocol, it does. Almost no
 * server says so, so only `strict` asks about such a read, and only if a stranger may have ordered it.
 */
export function mayReachOut({ effect, openWorld, trusted }: Tool, args: JsonObject): boolean {
  return effect === 'read' && openWorld === undefined && !trusted && Object.keys(args).length > 0;
}

/** Whether a read can carry data out: to an address in its arguments, or to the open world. */
export function isWayOut(tool: Tool, args?: JsonObject): boolean {
  if (tool.effect !== 'read' || isOwnTool(tool)) return false;
  // Without arguments there is nothing that could carry data.
  const hasRoom = args === undefined || Object.keys(args).length > 0;
  if (tool.openWorld === true) return hasRoom;
  if (tool.openWorld === false && tool.trusted) return false;
  if (tool.openWorld === undefined && !tool.trusted && isNamedOutside(tool)) return hasRoom;
  return takesAddress(tool) || (args !== undefined && hasAddress(args));
}

const namedOutside = new Map<string, boolean>();

function isNamedOutside({ name }: Tool): boolean {
  const known = namedOutside.get(name);
  if (known !== undefined) return known;
  const isOutside = wordsIn(name).some((word) => OUTSIDE.has(word));
  if (namedOutside.size < MOST_NAMES) namedOutside.set(name, isOutside);
  return isOutside;
}

const addressed = new WeakMap<JsonObject, boolean>();

function takesAddress({ inputSchema }: Tool): boolean {
  const known = addressed.get(inputSchema);
  if (known !== undefined) return known;
  const found = namesAddress(inputSchema, { left: MOST_PARTS });
  addressed.set(inputSchema, found);
  return found;
}

/** The most parts of a schema that are looked at. A larger one counts as taking an address. */
const MOST_PARTS = 5_000;

/** Whether a property at any depth has the name or the format of an address. */
function namesAddress(schema: Json, room: { left: number }): boolean {
  if (room.left-- <= 0) return true;
  if (Array.isArray(schema)) return schema.some((one) => namesAddress(one, room));
  if (!isObject(schema)) return false;
  if (OUTSIDE_FORMATS.includes(String(schema.format))) return true;
  const { properties } = schema;
  if (isObject(properties) && Object.keys(properties).some(isAddressName)) return true;
  return Object.values(schema).some((one) => namesAddress(one, room));
}

const MOST_NAMES = 1_000;
/** Arguments have few names, and each call asks for all of them. */
const addressNames = new Map<string, boolean>();

function isAddressName(name: string): boolean {
  const known = addressNames.get(name);
  if (known !== undefined) return known;
  const isAddress = wordsIn(name).some((word) => WAY_OUT.has(word));
  if (addressNames.size < MOST_NAMES) addressNames.set(name, isAddress);
  return isAddress;
}

/**
 * `https://…` anywhere in a text. Searches only for the end of the scheme. Searching for all of it takes quadratic
 * time on a long text.
 */
const URL_INSIDE = /[a-z0-9+.-]:[/\\]{2}[^/\\\s]/i;
const HOST = String.raw`(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}|\d+(?:\.\d+){3}|\[[\da-f:.]+\]|[\p{L}][\p{L}\p{N}_-]*(?=:\d)`;
/** `https:host`, `//host`, `\\\\host`. */
const URL_BEGINNING = /^\s*(?:(?:https?|wss?|ftps?|mailto):|[/\\]{2}[^/\\\s])/i;
/** The same, or `user@host:`, `www.host`, or a host with a path. */
const ADDRESS = new RegExp(
  String.raw`${URL_BEGINNING.source}|^\s*(?:[^@\s/]+@[^\s/:@]+:|www\.|(?:${HOST})(?::\d+)?[/?#])`,
  'iu',
);

const LONGEST_HOST = 300;

/** Every address has one of these, or is written with other letters than ASCII. */
const MAY_BE_ADDRESS = /[:/\\@.?#]|[^\0-\x7f]/;

function isAddress(text: string): boolean {
  if (!MAY_BE_ADDRESS.test(text)) return false;
  if (URL_INSIDE.test(text) || ADDRESS.test(text)) return true;
  // Programs ignore what is invisible in a host, and tabs and line breaks anywhere in a URL.
  const visible = text.replaceAll(/^[\0- ]+|\p{Cf}/gu, '');
  const joined = visible.replaceAll(/[\t\r\n]/g, '');
  if (URL_INSIDE.test(joined) || URL_BEGINNING.test(joined)) return true;
  // A host may be written with full-width letters, and with another full stop.
  const start = visible.slice(0, LONGEST_HOST).normalize('NFKC').replaceAll('。', '.');
  return URL_INSIDE.test(start) || ADDRESS.test(start);
}

/** Whether an argument has the name of an address, or a text in it is one. The schema may not know it. */
function hasAddress(value: Json): boolean {
  if (typeof value === 'string') return isAddress(value);
  if (Array.isArray(value)) return value.some(hasAddress);
  if (!isObject(value)) return false;
  for (const name in value) if (isAddressName(name) || hasAddress(value[name] ?? null)) return true;
  return false;
}

/** `startTime`, `start_time` and `start-time` are the words start and time. */
function wordsIn(name: string): string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
