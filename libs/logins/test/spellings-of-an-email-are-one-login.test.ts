import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emailLoginKey, loginKey } from '../src/index.ts';

test.each([
  ['case beyond ASCII', 'tést@exämple.org', 'TÉST@EXÄMPLE.ORG'],
  ['composed and decomposed accents', 'tést@example.org', 'te\u0301st@example.org'],
  ['a domain in its letters and as DNS has it', 'zoë@bücher.example', 'zoë@xn--bcher-kva.example'],
  ['a final sigma', 'δοκιμης@example.org', 'ΔΟΚΙΜΗΣ@example.org'],
  ['letters of full width', 'ann@example.org', '\uff41nn\uff20example.org'],
])('%s makes no other login', (_what, one, other) => {
  expect(emailLoginKey(` ${other} `)).toBe(emailLoginKey(one));
});

test.each([
  ['an accent', 'zoë@example.org', 'zoe@example.org'],
  ['a letter of another script', 'a@example.org', '\u0430@example.org'],
  ['an accent in the domain', 'a@bücher.example', 'a@bucher.example'],
])('%s makes another login', (_what, one, other) => {
  expect(emailLoginKey(other)).not.toBe(emailLoginKey(one));
});

test('an ASCII login has the key that it always had', () => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary-ascii' })), (login) => {
      expect(emailLoginKey(login)).toBe(loginKey(login));
    }),
  );
});
