import { expect, test } from '@jest/globals';
import { seal, sealingKey, unseal } from '../../src/index.ts';

const plain = Buffer.from('a private key');
const key = sealingKey('a secret', 'one purpose');

test('a sealed text opens with the key of the same secret and purpose, under its name', () => {
  const sealed = seal(key, 'name', plain);
  expect(sealed).not.toContain(plain.toString('base64url'));
  expect(unseal(sealingKey('a secret', 'one purpose'), 'name', sealed)).toEqual(plain);
});

test('a sealed text does not open with another secret, purpose or name, or when it was changed', () => {
  const sealed = seal(key, 'name', plain);
  expect(unseal(sealingKey('another', 'one purpose'), 'name', sealed)).toBeUndefined();
  expect(unseal(sealingKey('a secret', 'another'), 'name', sealed)).toBeUndefined();
  expect(unseal(key, 'another', sealed)).toBeUndefined();
  for (const changed of ['', sealed.slice(0, -4), `${sealed.slice(0, 20)}AAAA${sealed.slice(24)}`])
    expect(unseal(key, 'name', changed)).toBeUndefined();
});
