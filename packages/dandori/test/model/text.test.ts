import { describe, expect, it } from 'vitest';
import { clip, displayWidth, languageIn } from '../../src/model/text.ts';

describe('clip', () => {
  it('leaves a short text as it is and marks where a long one is cut', () => {
    expect(clip('four', 4)).toBe('four');
    expect(clip('fours', 4)).toBe('four…');
  });

  it('never leaves half of a surrogate pair, which some providers refuse', () => {
    expect(clip('ab😀cd', 3)).toBe('ab…');
    expect(clip('ab😀cd', 4)).toBe('ab😀…');
  });
});

it('text lines up in a terminal: East Asian characters are two columns wide, combining marks none', () => {
  expect(displayWidth('abc')).toBe(3);
  expect(displayWidth('日本語')).toBe(6);
  expect(displayWidth('か\u3099')).toBe(2);
  expect(displayWidth('😀')).toBe(2);
});

describe('the language of a text', () => {
  it.each([
    ['What is the weather in Osaka?', 'en'],
    ['What does 「牛乳」 mean?', 'en'],
    ['What does こんにちは mean?', 'en'],
    ['Remove 牛乳 from my kitchen', 'en'],
    ['Translate into English: 明日は雨です', 'en'],
    ['What is the weather in 東京?', 'en'],
    ['Please greet me with こんにちは', 'en'],
    ['the 低脂肪 one', 'en'],
    ['牛乳', 'ja'],
    ['大阪の天気は？', 'ja'],
    ['Osakaの天気', 'ja'],
    ['New York と Tokyo の時差は？', 'ja'],
    ['"the weather in Osaka" を日本語に訳して', 'ja'],
    ['the first one でお願いします', 'ja'],
    ['OpenAI の API key を check して', 'ja'],
    ['README.md を読んで', 'ja'],
    ['IPアドレス 203.0.113.7 の天気は？', 'ja'],
    ['「Hello, what is this?」とは？', 'ja'],
    ['東京', 'ja'],
    ['100 + 200', 'en'],
  ])('%s is %s', (text, language) => {
    expect(languageIn(text)).toBe(language);
  });
});
