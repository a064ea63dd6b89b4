// rule 2: An email is unique on creation, trimmed and case-insensitive | services/contacts/src/domain/email.ts

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changesEmail, emailKey, newContact, uniqueEmail, withDetails } from '../../src/domain/contact.ts';

const now = '2026-11-21T09:30:00.000Z';

describe('email is trimmed and compared case-insensitively', () => {
  test('surrounding white space and case do not distinguish emails', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.stringMatching(/^[ \t]{0,3}$/), (email, space) => {
        expect(emailKey(`${space}${email.toUpperCase()}${space}`)).toBe(emailKey(email));
      }),
    );
  });

  test.each([
    ['case beyond ASCII', 'tést@exämple.org', 'TÉST@EXÄMPLE.ORG'],
    ['composed and decomposed accents', 'tést@example.org', 'te\u0301st@example.org'],
    ['a domain in its letters and as DNS has it', 'a@exämple.org', 'a@xn--exmple-cua.org'],
    ['a final sigma', 'δοκιμης@example.org', 'ΔΟΚΙΜΗΣ@example.org'],
  ])('%s makes no other email', (_what, one, other) => {
    expect(emailKey(other)).toBe(emailKey(one));
    expect(emailKey(` ${other} `)).toBe(emailKey(one));
  });

  test.each([
    ['an accent', 'tést@example.org', 'test@example.org'],
    ['a letter of another script', 'a@example.org', 'а@example.org'],
    ['an accent in the domain', 'a@exämple.org', 'a@example.org'],
  ])('%s makes another email', (_what, one, other) => {
    expect(emailKey(other)).not.toBe(emailKey(one));
  });

  test('a malformed email has a key as well', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof emailKey(text) === 'string'));
  });

  test('an allowed duplicate never collides, neither with the email nor with another duplicate', () => {
    const keys = [
      uniqueEmail('a@b.ch', 'C1', false),
      uniqueEmail('a@b.ch', 'C1', true),
      uniqueEmail('a@b.ch', 'C2', true),
    ];
    expect(new Set(keys).size).toBe(3);
  });

  test('it is stored in its original case', () => {
    const contact = newContact('individual', 'C1', { lastName: 'Martin', email: 'Ana@B.ch' }, false, now);
    expect(contact.details?.email).toBe('Ana@B.ch');
    expect(contact.emailKey).toBe('ana@b.ch');
  });

  test('an unchanged email keeps its key, a removed one releases it', () => {
    const contact = newContact('individual', 'C1', { lastName: 'Martin', email: 'a@b.ch' }, true, now);
    const same = withDetails(contact, { lastName: 'Muster', email: 'A@B.ch' }, false, now);
    expect(changesEmail(contact, { lastName: 'Muster', email: 'A@B.ch' })).toBe(false);
    expect(same.uniqueEmail).toBe(contact.uniqueEmail);
    const without = withDetails(contact, { lastName: 'Muster' }, false, now);
    expect(without).not.toHaveProperty('emailKey');
    expect(without).not.toHaveProperty('uniqueEmail');
  });
});
