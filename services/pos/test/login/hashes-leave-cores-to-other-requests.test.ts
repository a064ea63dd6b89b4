import { expect, test } from '@jest/globals';
import { hashesAtOnce } from '../../src/users/log-in.ts';

test('passwords are hashed on half of the cores at most, on one where there is one, and never on more than two', () => {
  expect([1, 2, 3, 4, 64].map(hashesAtOnce)).toEqual([1, 1, 1, 2, 2]);
});
