import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/model/text.ts';

const NAMES = ['a', 't1', 'files.read_text', 'files.write_text', 'calc.add', 'places.weather'];

describe('a misspelt name', () => {
  it.each<[string, string | undefined]>([
    ['files.raed_text', 'files.read_text'],
    ['Files.Read_Text', 'files.read_text'],
    ['file.read_text', 'files.read_text'],
    ['weather', 'places.weather'],
    ['geo.weather', 'places.weather'],
    ['clac.add', 'calc.add'],
    ['files.weather', 'places.weather'],
    ['something.else', undefined],
    ['', undefined],
    ['x', undefined],
    ['b', undefined],
    ['A', 'a'],
    ['t9', 't1'],
  ])('"%s" most likely means %s', (name, expected) => {
    expect(nearest(name, NAMES)).toBe(expected);
  });

  it('is found among the keys of a Map too, which can be gone over only once', () => {
    expect(nearest('weather', new Map(NAMES.map((name) => [name, 1])).keys())).toBe('places.weather');
  });

  it('a very long name costs nothing', () => {
    expect(nearest('x'.repeat(100_000), NAMES)).toBeUndefined();
  });
});
