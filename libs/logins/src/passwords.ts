import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** Argon2id with the minimum parameters that OWASP recommends: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** The longest password, in characters; bounds the work of hashing. */
export const LONGEST_PASSWORD = 1_000;

const FORMAT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

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

/**
 * The Argon2id hash of a password in PHC string format. Takes about 30 ms in the thread pool, not on the event loop.
 */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST, HASH_BYTES);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
};

/** Whether a password matches a stored hash. @throws {Error} if the hash is not Argon2id in PHC format */
export const isPassword = async (password: string, stored: string): Promise<boolean> => {
  const [, memory, passes, parallelism, salt = '', hash = ''] = FORMAT.exec(stored) ?? [];
  if (hash === '')
    throw new Error('a stored password hash is not Argon2id in PHC format: set the password of the login again');
  const expected = Buffer.from(hash, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), cost, expected.length), expected);
};
