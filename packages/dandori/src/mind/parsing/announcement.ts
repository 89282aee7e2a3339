/**
 * Whether a text only announces an action ("I will now call calc.evaluate."), refuses it (an apology), or claims
 * to have done it (捨てました). Such a text does not end a run as a success. The model is asked again, so a wrong
 * guess costs one model call.
 */
export function announcesOrRefuses(text: string): boolean {
  return [...ANNOUNCEMENTS, ...REFUSALS, ...CLAIMS].some((form) => form.test(text));
}

const VERBS =
  'call|use|invoke|run|execute|check|look|search|find|get|fetch|retrieve|calculate|compute|query|read|list|try|start|begin|proceed|convert|add|remove|send|create|write|update|delete|ask';

/** First-person forms of what comes next. "Let me know" is none. */
const ANNOUNCEMENTS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:I(?:'|’)ll|I will|I shall|I(?:'|’)m going to|I am going to|let me|let(?:'|’)s|I need to|I must|I have to|I should|I(?:'|’)d like to|I would like to|we need to|we will|we should)(?: \\w+){0,2} (?:${VERBS})\\b`,
    'i',
  ),
  /\b(?:calling|using|invoking|executing|running) (?:the )?[\w.`]+ (?:tool|function|operation)\b/i,
  /\b(?:please wait|one moment|hold on)\b/i,
  /(?:呼び出し|呼出し|実行し|取得し|検索し|計算し|確認し|使用し|利用し|調査し|変換し|追加し|削除し|作成し|開始し|お調べし|調べ|探し|使い)(?:て(?:み|い(?:き|く)|いただき)?)?(?:ます|ましょう|ますね|る必要があります|たいと思います)/,
  /(?:少々|しばらく)お待ち/,
];

const REFUSALS: readonly RegExp[] = [
  /\bI(?:'|’)?(?:m| am) (?:very |so |really )?sorry\b|\b(?:my apologies|I apologi[sz]e)\b|^sorry\b/i,
  /\bI(?:'|’)?(?:m| am) (?:unable|not able)\b|\bI (?:cannot|can(?:'|’)t|can not|do not have|don(?:'|’)t have)\b/i,
  /\bas an AI\b/i,
  /申し訳|すみません|ごめんなさい|(?:いたし|でき)かねます|できません(?:でした)?[。！]?/,
];

/** Claims of a change. They are false if nothing was called. "I have written" may be about a poem. */
const CLAIMS: readonly RegExp[] = [
  /\b(?:I(?:'|’)ve|I have|has been|have been)(?: \w+){0,2} (?:removed|deleted|added|sent|saved|discarded|ordered|booked|registered|moved|thrown away)\b/i,
  /(?:削除し|捨て|追加し|登録し|送信し|送り|保存し|移動し|予約し|注文し)(?:ておき)?ました/,
];

/** Whether a text names one of these tools: an answer to the user rarely does. */
export function namesTool(text: string, names: Iterable<string>): boolean {
  for (const name of names) if (text.includes(name) || text.includes(name.replaceAll('.', '_'))) return true;
  return false;
}
