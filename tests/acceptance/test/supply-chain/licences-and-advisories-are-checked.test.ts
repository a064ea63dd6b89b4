import { describe, expect, test } from '@jest/globals';
import { runChecks } from '../../src/checks.ts';
import { isAllowed, judgeAudit, judgeLicences, readPrinted } from '../../src/supply-chain.ts';

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

  test('that is not allowed is reported with its packages; allowed ones are counted', () => {
    expect(
      judgeLicences({ ISC: [{ name: 'a' }], MIT: [{ name: 'b' }, { name: 'c' }], 'SSPL-1.0': [{ name: 'd' }] }),
    ).toEqual({
      faults: ['SSPL-1.0: d'],
      summary: 'MIT 2, ISC 1, SSPL-1.0 1',
    });
  });
});

describe('an audit', () => {
  const advisory = (severity: string) => ({ severity, module_name: 'left', title: 'reads too far' });

  test('fails for high and critical advisories, and reports the others', () => {
    const advisories = { 1: advisory('critical'), 2: advisory('moderate'), 3: advisory('high') };
    expect(judgeAudit({ answer: { advisories } })).toEqual({
      faults: ['critical: left: reads too far', 'high: left: reads too far'],
      summary: 'moderate: left: reads too far',
    });
    expect(judgeAudit({ answer: { advisories: {} } })).toEqual({ faults: [], summary: 'nothing known' });
  });

  test.each([
    [{ answer: { error: { code: 'ERR_PNPM_AUDIT_BAD_RESPONSE' } } }, 'gives no audits (ERR_PNPM_AUDIT_BAD_RESPONSE)'],
    [readPrinted<null>('', '', true), 'no answer in 60 s'],
    [readPrinted<null>('<html>', '', false), 'unreadable'],
    [
      readPrinted<null>('', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE\n × It responded with 405', false),
      'no audits (it answers 405)',
    ],
    [readPrinted<null>('', 'FetchError: ECONNREFUSED', false), 'no answer (ECONNREFUSED)'],
    [{ answer: {} }, 'unreadable'],
    [{ answer: null }, 'unreadable'],
  ])('that did not happen (%j) is said to be none, and why', (printed, why) => {
    expect(judgeAudit(printed)).toEqual({ faults: [], summary: expect.stringContaining(why), undone: true });
  });
});

describe('checks that could not run', () => {
  const checks = [
    { name: 'good', look: async () => ({ result: 'passed' as const }) },
    { name: 'not made', look: async () => ({ result: 'undone' as const, summary: 'not done: nobody answers' }) },
    { name: 'bad', look: async () => ({ result: 'failed' as const }) },
  ];

  test.each([
    [false, { passed: 1, failed: 1 }, '–'],
    [true, { passed: 1, failed: 2 }, '✗'],
  ])('strictly (%j) they count %j', async (strict, tally, mark) => {
    const lines: string[] = [];
    expect(await runChecks({ strict, checks, tell: (line) => lines.push(line) })).toEqual(tally);
    expect(lines.map((line) => line.at(0))).toEqual(['✓', mark, '✗']);
    expect(lines[1]).toMatch(/not made .*: not done: nobody answers$/);
  });
});
