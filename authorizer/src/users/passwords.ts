import { Fault } from '@boxoffice/envelope';
import { LONGEST_PASSWORD } from '@boxoffice/logins';
import { dictionary } from '@zxcvbn-ts/language-common';
import { SHORTEST_PASSWORD } from '../domain/user.ts';
import type { UserDocument } from '../store.ts';

let known: ReadonlySet<string> | undefined;

const SHIFTS: readonly string[] = ['01234567890123456789', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm'];

/** Letters that digits and signs stand for in guessable spellings. */
const SPELLED: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  $: 's',
  '@': 'a',
};

/**
 * Leaked often, also repeated, in capitals, with digits for letters, or with digits and signs around; a repeated
 * character; a run along the keyboard; one of the given words, such as the login.
 */
export function isCommonPassword(password: string, words: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  const letters = text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  // A short word beside many digits is not what makes the password guessable.
  const core = letters.length * 2 >= text.length ? letters : '';
  const spelled = respell(text);
  const repeated = [text, core, spelled, joinLetters(text), joinLetters(spelled)].map(findUnit);
  const forms = [text, core, spelled, ...repeated].filter(Boolean);
  const own = words.map((word) => word.normalize('NFKC').toLowerCase()).flatMap((word) => [word, joinLetters(word)]);
  return new Set(text).size < 4 || isRun(text) || forms.some((form) => isCommon(form) || own.includes(form));
}

const respell = (text: string): string => [...text].map((letter) => SPELLED[letter] ?? letter).join('');

/** The text without white space and punctuation, which may stand between repeats. */
const joinLetters = (text: string): string => text.replaceAll(/[\s\p{P}]+/gu, '');

/** The unit that the text repeats, such as `abc` of `abcabcabc`; the text itself if it repeats none. */
const findUnit = (text: string): string => /^(.+?)\1+$/su.exec(text)?.[1] ?? text;

/** Whether the text runs along the digits, the alphabet or the keyboard, in either direction. */
const isRun = (text: string): boolean => {
  const reversed = [...text].reverse().join('');
  return SHIFTS.some((row) => row.includes(text) || row.includes(reversed));
};

/** Whether it is one of the passwords that leaked most often, in lower case; they are read when first needed. */
const isCommon = (text: string): boolean => {
  known ??= new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));
  return known.has(text);
};

/** Why a password cannot be set. */
export type PasswordProblem = 'short' | 'long' | 'common';

export function createPasswordFault(problem: PasswordProblem, field: string): Fault {
  const texts = {
    short: `must have at least ${SHORTEST_PASSWORD} characters`,
    long: `must have at most ${LONGEST_PASSWORD} characters`,
    common: 'is one of the common passwords, which are guessed first',
  };
  return new Fault(problem === 'common' ? 'semantically_invalid' : 'validation_error', `$.${field} ${texts[problem]}.`);
}

export function findPasswordProblem(
  password: string,
  { login, name }: Pick<UserDocument, 'login' | 'name'>,
): PasswordProblem | undefined {
  const { length } = [...password];
  if (length < SHORTEST_PASSWORD) return 'short';
  if (length > LONGEST_PASSWORD) return 'long';
  return isCommonPassword(password, [login, login.split('@', 1)[0] ?? '', name]) ? 'common' : undefined;
}
