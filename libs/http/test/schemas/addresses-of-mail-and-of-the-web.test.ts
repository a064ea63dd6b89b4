import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  emailSchema,
  ORIGIN_PATTERN,
  PAGE_OR_MAILBOX_PATTERN,
  REDIRECT_URI_PATTERN,
  SECURE_ORIGIN_PATTERN,
} from '../../src/index.ts';
import { normaliseOrigin } from '../../src/validation/texts.ts';
import { createCompiler } from '../../src/validation/validators.ts';

const validate = createCompiler()({ type: 'object', properties: { email: emailSchema } });
const isTaken = (email: string): boolean => validate({ email }).found.length === 0;

describe('an email is accepted', () => {
  test('if RFC 5321 allows it', () => {
    fc.assert(fc.property(fc.emailAddress(), (email) => isTaken(email)));
  });

  test.each([
    'tést@exämple.org',
    'te\u0301st@example.org',
    '用户@例子.广告',
    'Δοκιμή@Παράδειγμα.δοκιμή',
    'संपर्क@डाटामेल.भारत',
    'bücher+news@faß.de',
    'a@xn--exmple-cua.org',
    ' tést@exämple.org ',
  ])('if RFC 6531 allows it: %s', (email) => {
    expect(isTaken(email)).toBe(true);
  });
});

test.each(['a..b@docomo.ne.jp', 'a...b.@ezweb.ne.jp', 'a.@docomo.ne.jp', 'ab..@docomo.ne.jp'])(
  'dots in a row and before the @ are accepted, as carriers gave them out: %s',
  (email) => {
    expect(isTaken(email)).toBe(true);
  },
);

/** A domain of this many octets, in labels that DNS accepts. */
const domainOf = (octets: number): string => {
  const labels = 'abcdefghi.'.repeat(26);
  return labels.slice(labels.length - 1 - octets, -1).replace(/^\./, 'a');
};

describe('the lengths of RFC 5321, 4.5.3.1, are counted in octets', () => {
  test.each([
    [`${'a'.repeat(64)}@b.ch`, true],
    [`${'a'.repeat(65)}@b.ch`, false],
    [`${'é'.repeat(32)}@b.ch`, true],
    [`${'é'.repeat(33)}@b.ch`, false],
    [`${'😀'.repeat(16)}@b.ch`, true],
    [`a${'😀'.repeat(16)}@b.ch`, false],
    // The whole address: 254.
    [`a@${domainOf(252)}`, true],
    [`a@${domainOf(253)}`, false],
    [`é@${domainOf(251)}`, true],
    [`é@${domainOf(252)}`, false],
    // In DNS a domain may be longer than as it is written: 'ä' is 'xn--4ca'.
    [`a@${'ä.'.repeat(31)}de`, true],
    [`a@${'ä.'.repeat(32)}de`, false],
  ])('%s: %s', (email, taken) => {
    expect(isTaken(email)).toBe(taken);
  });
});

test.each([
  '',
  'a',
  '@b.ch',
  'a@',
  'a@b',
  'é@exämple',
  'a@@b.ch',
  '.a@c.de',
  '..@c.de',
  'a b@c.de',
  'a\u00a0b@c.de',
  'a\u200bb@c.de',
  'a\u202eb@c.de',
  'a@b\u200b.ch',
  'a@ex_ample.org',
  'a@-b.ch',
  'a@ä/b.org',
  'a@ä:80.de',
  'a@[127.0.0.1]',
  '"a b"@c.de',
  `a@${'ä'.repeat(70)}.de`,
])('is refused: %j', (email) => {
  expect(isTaken(email)).toBe(false);
});

/** Texts of the pattern; which names that begin with `xn--` are valid, no pattern says, and versions of Node differ. */
const textsOf = (pattern: string) =>
  fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 }).filter((text) => !/xn--/i.test(text));

describe('what a pattern of web addresses allows', () => {
  test.each([ORIGIN_PATTERN, SECURE_ORIGIN_PATTERN])('is an origin, as sent by a browser too: %s', (pattern) => {
    fc.assert(
      fc.property(textsOf(pattern), (text) => {
        const sent = normaliseOrigin(text);
        // What is no origin of the web is an app's, which its web view sends to the letter.
        const { protocol, origin } = new URL(text);
        expect(sent).toBe(/^https?:$/.test(protocol) ? origin : `${protocol}//localhost`);
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
])('the origin %s is stored as "%s"', (given, stored) => expect(normaliseOrigin(given)).toBe(stored));
