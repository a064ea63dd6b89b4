import { expect, test } from '@jest/globals';
import type { KnownGrant, UsedToken } from '../src/client/users.ts';
import { createCheck } from '../src/invariants/verdict.ts';
import { type CountedKey, checkGrants, checkUsage } from '../src/scenarios/sign-ins.ts';

const used = (successors: readonly string[], more: Partial<UsedToken> = {}): UsedToken => ({
  successors: new Set(successors),
  given: successors.length,
  refused: 0,
  unknown: 0,
  ...more,
});

const correct = (): KnownGrant => ({
  code: used(['first'], { refused: 1 }),
  tokens: [used(['second']), used(['third'], { given: 2, unknown: 1 })],
  ended: true,
  givenAfterEnd: 0,
  signedIn: true,
});

const violationsOf = (grant: KnownGrant): number => {
  const check = createCheck();
  checkGrants([grant], check);
  return check.verdict.violations.filter(({ invariant }) => invariant === 'grants').length;
};

test.each<[string, Partial<KnownGrant>, number]>([
  ['a correct grant', {}, 0],
  ['a code whose answer was lost', { code: used([], { refused: 1, unknown: 1 }) }, 0],
  ['a code that gave tokens twice', { code: used(['first', 'other']) }, 1],
  ['a code that was refused at once', { code: used([], { refused: 1 }) }, 1],
  ['a token with two successors', { tokens: [used(['second', 'another'])] }, 1],
  ['a token that was refused at once', { tokens: [used([], { refused: 1 })] }, 1],
  ['tokens after a replay', { givenAfterEnd: 1 }, 1],
  ['a session that was forgotten', { signedIn: false }, 1],
])('grants: %s', (_name, change, violations) => {
  expect(violationsOf({ ...correct(), ...change })).toBe(violations);
});

const at = Date.UTC(2027, 2, 14);
const answered = Array.from({ length: 60 }, (_, second) => at + second * 1_000);
const counted: CountedKey = { answered, unknown: 2, kills: [], counted: 60 };

test.each<[string, Partial<CountedKey>, number]>([
  ['every request', {}, 0],
  ['those without an answer, too', { counted: 62 }, 0],
  ['one too few', { counted: 59 }, 1],
  ['one too many', { counted: 63 }, 1],
  ['the last ten seconds of a killed gateway', { kills: [at + 30_000], counted: 50 }, 0],
  ['more than that', { kills: [at + 30_000], counted: 40 }, 1],
])('usage: %s', (_name, change, violations) => {
  const check = createCheck();
  checkUsage({ ...counted, ...change }, check);
  expect(check.verdict.violations).toHaveLength(violations);
});
