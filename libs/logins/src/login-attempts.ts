import { hash } from 'node:crypto';
import { toNetwork } from '@boxoffice/runtime';
import { type CollectionHandle, type Document, collection as declare, insertUnlessTaken } from '@boxoffice/store';

/** The stored form of a login at a point of sale: normalised (NFKC), trimmed, in lower case. */
export function toLoginKey(login: string): string {
  return login.normalize('NFKC').trim().toLowerCase();
}

/** RFC 6531: a domain in its own letters and as `xn--` are one. Of an ASCII login it is {@link toLoginKey}. */
export function toEmailLoginKey(login: string): string {
  const text = login.normalize('NFKC').trim();
  const domain = text.lastIndexOf('@') + 1;
  return foldLogin(text.slice(0, domain)) + foldLogin(dnsName(text.slice(domain)));
}

/** Folds case and Unicode composition; a final sigma becomes a sigma. */
const foldLogin = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

const dnsName = (domain: string): string => {
  const url = `http://${domain}`;
  return /\P{ASCII}/u.test(domain) && URL.canParse(url) ? new URL(url).hostname : domain;
};

/** Of an address, a login, or both; the id is a hash of what they share. */
export interface AttemptsDocument extends Document {
  /** Epoch milliseconds, oldest first. */
  readonly failures: readonly number[];
  readonly expiresAt: number;
}

export const attemptsCollection = declare<AttemptsDocument>('login_attempts', [
  { name: 'expiry', fields: ['expiresAt'], acrossInstitutions: true },
]);

const WINDOW_MS = 15 * 60_000;
const MAX_FROM_ADDRESS = 10;
const MAX_PER_LOGIN = 100;

export interface Attempt {
  readonly institution: string;
  /** Whose logins they are: a point of sale's service host, or a name. */
  readonly realm: string;
  readonly login: string;
  readonly ip: string;
}

type Limit = ReturnType<typeof networkLimit>;

interface AddressLimit {
  readonly what: string;
  readonly most: number;
  readonly windowMs: number;
}

/** In the store, so that it holds across all instances. Resolves to the milliseconds to wait once it is reached. */
export function createAddressLimit(
  collection: CollectionHandle<AttemptsDocument>,
  { what, most, windowMs }: AddressLimit,
  now: () => number = Date.now,
) {
  return async (institution: string, ip: string): Promise<number | undefined> => {
    const at = now();
    const limit = { id: deriveHash('limit', what, institution, toNetwork(ip)), most, windowMs };
    const roomAt = await add(collection, institution, limit, at);
    return roomAt === undefined ? undefined : Math.max(1, roomAt - at);
  };
}

/** A deterministic id: the SHA-256 of the parts, which it does not reveal. */
const deriveHash = (...parts: readonly string[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** If the limit is reached, counts none and resolves to when the next one is allowed (epoch milliseconds). */
const add = async (
  collection: CollectionHandle<AttemptsDocument>,
  institution: string,
  limit: Limit,
  at: number,
): Promise<number | undefined> => {
  const { id, most, windowMs } = limit;
  const own = collection.of(institution);
  const expiresAt = at + windowMs;
  let roomAt: number | undefined;
  const recorded = await own.update(id, (current) => {
    const failures = current.failures.filter((failure) => failure > at - windowMs);
    const [oldest = at] = failures;
    roomAt = failures.length >= most ? oldest + windowMs : undefined;
    return roomAt === undefined ? { next: { ...current, failures: [...failures, at], expiresAt } } : undefined;
  });
  if (recorded) return roomAt;
  const inserted = await insertUnlessTaken(own, { id, failures: [at], expiresAt });
  return inserted ? undefined : add(collection, institution, limit, at);
};

/** `mostPerAddress`: wrong passwords of one address in one institution, over all logins, within the window. */
export function createLoginAttempts(
  collection: CollectionHandle<AttemptsDocument>,
  mostPerAddress: number,
  now: () => number = Date.now,
) {
  const remove = async (institution: string, { id }: Limit, at: number): Promise<void> => {
    await collection.of(institution).update(id, (current) => {
      const index = current.failures.indexOf(at);
      return index < 0 ? undefined : { next: { ...current, failures: current.failures.toSpliced(index, 1) } };
    });
  };

  return {
    /** Milliseconds to wait if the limit of the address is reached, else undefined; counts nothing. */
    async computeWait({ institution, ip }: Attempt): Promise<number | undefined> {
      const at = now();
      const { id, most } = networkLimit(institution, toNetwork(ip), mostPerAddress);
      const failures = (await collection.of(institution).get(id))?.failures.filter((one) => one > at - WINDOW_MS) ?? [];
      const [oldest = at] = failures;
      return failures.length >= most ? Math.max(1, oldest + WINDOW_MS - at) : undefined;
    },
    /** A failure until it is forgiven, because its password is right; or the milliseconds to wait at a limit. */
    async count(attempt: Attempt): Promise<{ readonly forgive: () => Promise<void> } | number> {
      const at = now();
      const taken: Limit[] = [];
      const release = async () => {
        for (const limit of taken) await remove(attempt.institution, limit, at);
      };
      for (const limit of limitsOf(attempt, mostPerAddress)) {
        const roomAt = await add(collection, attempt.institution, limit, at);
        if (roomAt !== undefined) {
          await release();
          return Math.max(1, roomAt - at);
        }
        taken.push(limit);
      }
      return { forgive: release };
    },
  };
}

const networkLimit = (institution: string, network: string, most: number) => ({
  id: deriveHash('network', institution, network),
  most,
  windowMs: WINDOW_MS,
});

/** The limit of the address comes first: an attempt that it refuses stores nothing about the login. */
const limitsOf = ({ institution, realm, login, ip }: Attempt, mostPerAddress: number): readonly Limit[] => {
  const network = toNetwork(ip);
  // Spellings of one email share the limits.
  const whom = [institution, realm, toEmailLoginKey(login)];
  return [
    networkLimit(institution, network, mostPerAddress),
    { id: deriveHash('address', ...whom, network), most: MAX_FROM_ADDRESS, windowMs: WINDOW_MS },
    { id: deriveHash('login', ...whom), most: MAX_PER_LOGIN, windowMs: WINDOW_MS },
  ];
};
