import type { KnownGrant } from '../client/users.ts';
import type { Check } from './verdict.ts';

/** I9: a code gives tokens once, a refresh token has one successor, a replay ends both, and a sign-in survives. */
export const checkGrants = (grants: readonly KnownGrant[], check: Check): void => {
  for (const { code, tokens, givenAfterEnd, signedIn } of grants) {
    check.that('I9', code.given <= 1, () => `a code gave tokens ${code.given} times`);
    const isLost = code.given === 0 && code.unknown === 0;
    check.that('I9', !isLost, () => 'a code was refused at its first use');
    for (const [index, token] of tokens.entries()) {
      const many = token.successors.size;
      check.that('I9', many <= 1, () => `refresh token ${index + 1} of a chain has ${many} successors`);
      const isRefused = token.given === 0 && token.unknown === 0;
      check.that('I9', !isRefused, () => `refresh token ${index + 1} of a chain was refused at its first use`);
    }
    check.that('I9', givenAfterEnd === 0, () => 'a grant gave tokens after a used refresh token was shown again');
    check.that('I9', signedIn !== false, () => 'a user was asked to sign in again, a moment after signing in');
  }
};
