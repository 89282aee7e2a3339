import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted } from './price.js';

test('a discount is taken off, and half a yen is rounded up', () => {
  assert.equal(discounted(3000, 15), 2550);
  assert.equal(discounted(101, 50), 51);
});
