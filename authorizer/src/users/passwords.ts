import { Fault } from '@boxoffice/envelope';
import { LONGEST_PASSWORD } from '@boxoffice/logins';
import { SHORTEST_PASSWORD } from '../domain/user.ts';
import type { UserDocument } from '../store.ts';
import { isCommonPassword } from './common-passwords.ts';

/** Why a password cannot be set. */
export type PasswordProblem = 'short' | 'long' | 'common';

/** The refusal of a password, for a field of that name. */
export const passwordFault = (problem: PasswordProblem, field: string): Fault => {
  const texts = {
    short: `must have at least ${SHORTEST_PASSWORD} characters`,
    long: `must have at most ${LONGEST_PASSWORD} characters`,
    common: 'is one of the common passwords, which are guessed first',
  };
  return new Fault(problem === 'common' ? 'semantically_invalid' : 'validation_error', `$.${field} ${texts[problem]}.`);
};

/** Why the user cannot have this password; undefined if it can. */
export const passwordProblem = (
  password: string,
  { login, name }: Pick<UserDocument, 'login' | 'name'>,
): PasswordProblem | undefined => {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD) return 'short';
  if (length > LONGEST_PASSWORD) return 'long';
  return isCommonPassword(password, [login, login.split('@', 1)[0] ?? '', name]) ? 'common' : undefined;
};
