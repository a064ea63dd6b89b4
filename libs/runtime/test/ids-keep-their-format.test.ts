import { createId, createRandomId, deriveId, encodeBase32 } from '@boxoffice/runtime';
import { describe, expect, it } from '@jest/globals';

const NOW = Date.UTC(2027, 0, 31);
const LETTERS = '[0-9a-hjkmnp-tv-z]';

describe('ids', () => {
  it('sort by age', () => {
    const ids = [0, 1, 36, 1_000, NOW, NOW + 1, NOW * 2].map((now) => createId('per', now));
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(new RegExp(`^per_[0-9a-z]{9}${LETTERS}{10}$`));
  });

  it('differ within a millisecond', () => {
    const ids = Array.from({ length: 1_000 }, () => createId('ord', NOW));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('do not reveal their age if they are random', () => {
    expect(createRandomId('ses', 24)).toMatch(new RegExp(`^ses_${LETTERS}{24}$`));
    expect(createRandomId('ses', 24)).not.toBe(createRandomId('ses', 24));
  });

  it('can be derived from parts', () => {
    expect(deriveId('req', 'key', 'fingerprint')).toBe('req_zcrjen4pex3jhbcqgrz');
    expect(deriveId('req', 'a', 'bc')).not.toBe(deriveId('req', 'ab', 'c'));
  });

  it('have one character per byte', () => {
    expect(encodeBase32(Uint8Array.from({ length: 34 }, (_, index) => index))).toBe(
      '0123456789abcdefghjkmnpqrstvwxyz01',
    );
  });
});
