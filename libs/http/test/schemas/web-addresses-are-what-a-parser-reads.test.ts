import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ORIGIN_PATTERN,
  PAGE_OR_MAILBOX_PATTERN,
  REDIRECT_URI_PATTERN,
  SECURE_ORIGIN_PATTERN,
} from '../../src/index.ts';
import { originOf } from '../../src/validation/texts.ts';

/** Texts of the pattern; which names that begin with `xn--` are valid, no pattern says, and versions of Node differ. */
const textsOf = (pattern: string) =>
  fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 }).filter((text) => !/xn--/i.test(text));

describe('what a pattern of web addresses allows', () => {
  test.each([ORIGIN_PATTERN, SECURE_ORIGIN_PATTERN])('is an origin, as sent by a browser too: %s', (pattern) => {
    fc.assert(
      fc.property(textsOf(pattern), (text) => {
        const sent = originOf(text);
        expect(sent).toBe(new URL(text).origin);
        expect(sent).toMatch(new RegExp(pattern, 'u'));
      }),
    );
  });

  test('is a URI without userinfo and fragment', () => {
    fc.assert(
      fc.property(textsOf(REDIRECT_URI_PATTERN), (text) => {
        const { protocol, username, password, hash } = new URL(text);
        expect([username, password, hash]).toEqual(['', '', '']);
        expect(protocol).toMatch(/^https?:$|[.]/);
      }),
    );
  });

  test('is a page or a mailbox, without userinfo and without headers of the mail', () => {
    fc.assert(
      fc.property(textsOf(PAGE_OR_MAILBOX_PATTERN), (text) => {
        const { protocol, username, password, search } = new URL(text);
        expect([username, password]).toEqual(['', '']);
        if (protocol === 'mailto:') expect(search).toBe('');
        else expect(protocol).toBe('https:');
      }),
    );
  });
});

test.each([
  ['https://Www.Example.org:443', 'https://www.example.org'],
  ['http://[0:0::1]:80', 'http://[::1]'],
  ['https://1.2.3.4.5', ''],
  ['https://www.example.org/', 'https://www.example.org/'],
  ['@', '@'],
])('the origin %s is stored as "%s"', (given, stored) => expect(originOf(given)).toBe(stored));
