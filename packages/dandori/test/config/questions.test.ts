import { describe, expect, it } from 'vitest';
import { load, refusal } from './workspace.ts';

describe('questions in the configuration', () => {
  it('become settings of the runs; without them nothing expires and every user may answer', async () => {
    const { settings } = await load('questions: { expire_after: 1d, answerers: [anna] }\n');
    expect(settings.questions).toEqual({
      expireAfter: 86_400_000,
      whenExpired: 'decline',
      answerers: ['anna'],
    });
    expect((await load('questions: { when_expired: cancel }\n')).settings.questions).toEqual({
      whenExpired: 'cancel',
    });
    expect((await load('')).settings.questions).toBeUndefined();
  });

  it.each([
    ['questions: { expire_after: tomorrow }', '1:28', 'such as 1d'],
    ['questions: { expire_after: 0 }', '1:28', 'such as 1d'],
    ['questions: { when_expired: approve }', '1:28', 'must be decline or cancel'],
    ['questions: { answerers: [] }', '1:25', 'must name one user or more'],
    ['questions: { timeout: 1d }', '1:14', 'did you mean "expire_after"?'],
    ['expire_after: 1d', '1:1', 'expire_after belongs under questions'],
  ])('that are wrong are shown with their position: %s', async (yaml, place, words) => {
    const { message } = await refusal(load(yaml));
    expect(message).toContain(`dandori.yaml:${place} error`);
    expect(message).toContain(words);
  });
});
