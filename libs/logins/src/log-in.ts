import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { toNetwork } from '@boxoffice/runtime';
import type { CollectionHandle } from '@boxoffice/store';
import { type Attempt, type AttemptsDocument, createLoginAttempts } from './login-attempts.ts';
import { createTurnstile } from './turnstile.ts';

/** Argon2id with the minimum parameters that OWASP recommends: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** The longest password, in characters; bounds the work of hashing. */
export const LONGEST_PASSWORD = 1_000;

const FORMAT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** PHC string format. Takes about 30 ms in the thread pool, not on the event loop. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST, HASH_BYTES);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encodeUnpadded(salt)}$${encodeUnpadded(hash)}`;
}

const derive = (
  password: string,
  nonce: Buffer,
  cost: typeof COST | Record<keyof typeof COST, number>,
  tagLength: number,
) =>
  new Promise<Buffer>((resolve, reject) => {
    const options = { ...cost, message: Buffer.from(password.normalize('NFKC')), nonce, tagLength };
    argon2('argon2id', options, (error, hash) => (error ? reject(error) : resolve(hash)));
  });

const encodeUnpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** Whether a password matches a stored hash. @throws {Error} if the hash is not Argon2id in PHC format */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = FORMAT.exec(stored) ?? [];
  if (hash === '')
    throw new Error('a stored password hash is not Argon2id in PHC format: set the password of the login again');
  const expected = Buffer.from(hash, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), cost, expected.length), expected);
}

/** A hash takes 19 MiB and a core for 30 ms. A wait far below the gateway's 15 s is not mistaken for an outage. */
const LIMITS = { inside: 2, waiting: 100, waitingPerAddress: 10, longestWaitMs: 3_000 } as const;

/** What became of an attempt: `busy` if too many wait for their turn. Times in milliseconds. */
type Outcome<User> =
  | { readonly outcome: 'right'; readonly user: User }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'throttled'; readonly waitMs: number }
  | { readonly outcome: 'busy'; readonly waitMs: number };

/** Called for each attempt that is refused; the event contains neither login nor password. */
export type LogInAudit = (
  attempt: Pick<Attempt, 'institution' | 'ip'>,
  event: 'login_failed' | 'login_throttled',
) => void;

export interface LogInOptions<User> {
  readonly attempts: CollectionHandle<AttemptsDocument>;
  readonly mostPerAddress: number;
  readonly find: (attempt: Attempt) => Promise<{ readonly user: User; readonly passwordHash: string } | undefined>;
  readonly audit: LogInAudit;
  readonly now?: () => number;
  readonly verify?: typeof isPassword;
}

const BUSY_MS = 1_000;

/** An unknown login and a wrong password give the same outcome after the same time. `hasLeft`: leaves the queue. */
export function createLogIn<User>({
  attempts,
  mostPerAddress,
  find,
  audit,
  now,
  verify = isPassword,
}: LogInOptions<User>) {
  const counts = createLoginAttempts(attempts, mostPerAddress, now);
  const inTurn = createTurnstile(LIMITS);
  let decoyHash: Promise<string> | undefined;

  const check = async (attempt: Attempt, password: string): Promise<Outcome<User>> => {
    // Counted inside the turnstile, so that waiting attempts with right passwords do not count as failures.
    const counted = await counts.count(attempt);
    if (typeof counted === 'number') return { outcome: 'throttled', waitMs: counted };
    const found = await find(attempt);
    // Awaited for known logins, too, so that the first unknown login of a process takes no longer than they do.
    decoyHash ??= hashPassword('decoy');
    const decoy = await decoyHash;
    const right = await verify(password, found?.passwordHash ?? decoy);
    if (!found || !right) return { outcome: 'wrong' };
    await counted.forgive();
    return { outcome: 'right', user: found.user };
  };

  const decide = async (attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<Outcome<User>> => {
    // One small read, so that an address over its limit takes no place in the queue.
    const waitMs = await counts.computeWait(attempt);
    if (waitMs !== undefined) return { outcome: 'throttled', waitMs };
    const who = { institution: attempt.institution, address: toNetwork(attempt.ip), hasLeft };
    return (await inTurn(who, () => check(attempt, password))) ?? { outcome: 'busy', waitMs: BUSY_MS };
  };

  return async (attempt: Attempt, password: string, hasLeft?: () => boolean): Promise<Outcome<User>> => {
    const decided = await decide(attempt, password, hasLeft);
    if (decided.outcome === 'wrong') audit(attempt, 'login_failed');
    if (decided.outcome === 'throttled') audit(attempt, 'login_throttled');
    return decided;
  };
}
