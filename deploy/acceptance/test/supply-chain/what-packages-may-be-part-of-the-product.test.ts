import { describe, expect, test } from '@jest/globals';
import { isAllowed, judgeAudit, judgeLicences } from '../../src/supply-chain.ts';

describe('a licence', () => {
  test.each([
    ['MIT', true],
    ['(MIT AND Zlib)', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['GPL-3.0-only', false],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-or-later OR SSPL-1.0', false],
    ['Unknown', false],
  ])('%s: allowed %s', (licence, allowed) => {
    expect(isAllowed(licence)).toBe(allowed);
  });

  test('that is not allowed is named with its packages, the others are counted', () => {
    expect(
      judgeLicences({ ISC: [{ name: 'a' }], MIT: [{ name: 'b' }, { name: 'c' }], 'SSPL-1.0': [{ name: 'd' }] }),
    ).toEqual({
      faults: ['SSPL-1.0: d'],
      told: 'MIT 2, ISC 1, SSPL-1.0 1',
    });
  });
});

describe('an audit', () => {
  const advisory = (severity: string) => ({ severity, module_name: 'left', title: 'reads too far' });

  test('fails for high and critical advisories, and tells the others', () => {
    const advisories = { 1: advisory('critical'), 2: advisory('moderate'), 3: advisory('high') };
    expect(judgeAudit({ advisories })).toEqual({
      faults: ['critical: left: reads too far', 'high: left: reads too far'],
      told: 'moderate: left: reads too far',
    });
    expect(judgeAudit({ advisories: {} })).toEqual({ faults: [], told: 'nothing known' });
  });

  test('that the registry does not give is said, and no fault', () => {
    const silent = { faults: [], told: 'not asked, the registry gives no audits' };
    expect(judgeAudit({ error: { code: 'ERR_PNPM_AUDIT_BAD_RESPONSE' } })).toEqual(silent);
    expect(judgeAudit(undefined)).toEqual(silent);
  });
});
