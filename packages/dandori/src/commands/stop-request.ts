/** Words that may mean "stop". If a message has none of them, the user is asked before a run is cancelled. */
const STOP =
  /\b(?:(?:stop|cancel|abort|halt|quit|end|kill|drop|undo|terminate|skip)(?:p?ed|p?ing|l?ed|l?ing|s|ation)?|forget|off|leave|never ?mind|no longer|any ?more|don'?t|do not|get rid)\b/iu;
/** Nothing but an order to stop a run: "Stop that noise" and 「通知音を止めて」 are not about one. */
const CLEAR_STOP =
  /^(?:(?:please|hi|hey|no|ok|okay|wait|oh|actually|sorry|can you|could you)[,!. ]+)*(?!(?:call|leave|drop|forget)[.!? ]*$)(?:(?:stop|cancel|abort|halt|quit|kill|terminate|forget|drop|leave|call)(?: (?:it|that|this|everything|(?:the|that|this|my) (?:run|job|task|work|payment|transfer|order|booking|mail|plan|whole thing)))?(?: off)?|never ?mind|don't do (?:it|that))(?:[,!. ]+(?:please|now|right now|at once|immediately|thanks|i changed my mind))*[.!?]*$/iu;
const STOP_JA =
  /やめ|止め|辞め|とめ|中止|中断|停止|終了|終わ|キャンセル|ストップ|取り?消|取りやめ|いらない|要らない|不要|もういい|しないで/u;
const CLEAR_STOP_JA =
  /^(?:(?:やっぱり|やっぱ|やはり|もう|いや|待って|ごめん|すみません|すぐに?|今すぐ|全部|すべて|それ|これ|あれ|(?:その|この|さっきの)?(?:実行|処理|作業|支払い|送金|注文|予約|計画|タスク|送信|件))[はをも、。\s]*)*(?:やめ|止め|とめ|中止|中断|停止|キャンセル|ストップ|取り?消|取りやめ|いらない|要らない|不要|もういい|しないで)[ぁ-んー。、！!\s]*(?:下さい|願いします)?[。！!]*$/u;

const LONGEST_STOP = 40;

/** Whether a message may ask to stop something, or, if `isOnly`, asks for nothing else. */
export function asksToStop(text: string, { isOnly = false }: { readonly isOnly?: boolean } = {}): boolean {
  const said = text.normalize('NFKC').trim();
  if (isOnly && said.length > LONGEST_STOP) return false;
  return isOnly ? CLEAR_STOP.test(said) || CLEAR_STOP_JA.test(said) : STOP.test(said) || STOP_JA.test(said);
}
