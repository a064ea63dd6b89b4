import { isIPv6 } from 'node:net';
import { type CollectionHandle, UniqueViolation } from '@boxoffice/store';
import { derived } from './ids.ts';
import type { AttemptsDocument } from './store.ts';
import { loginKey } from './users.ts';

/** How long a wrong password counts, and how many count before the next is refused. */
const WINDOW_MS = 15 * 60_000;
const MOST_PER_ADDRESS = 10;
const MOST_PER_LOGIN = 100;

export interface Attempt {
  readonly institution: string;
  readonly serviceHost: string;
  readonly login: string;
  readonly ip: string;
}

/** An attempt that counts as wrong until it is known to be right. */
export interface Counted {
  /** It was right. */
  forgive(): Promise<void>;
}

/** Counts wrong passwords, for logins that exist and for others alike, in the store: so for all instances together. */
export interface LoginAttempts {
  /** Counts one more; answers the milliseconds to wait instead if there were too many. */
  count(attempt: Attempt): Promise<Counted | number>;
  /** Forgets what counts no longer, and answers how many of at most so many. */
  sweep(limit: number): Promise<number>;
}

/** Whoever has an IPv6 address has 2^64 of them. */
const networkOf = (ip: string): string => {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const groups = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return groups.slice(0, 4).join(':');
};

interface Limit {
  readonly id: string;
  readonly most: number;
}

const limitsOf = ({ institution, serviceHost, login, ip }: Attempt): readonly Limit[] => {
  const whom = [institution, serviceHost, loginKey(login)];
  return [
    { id: derived('address', ...whom, networkOf(ip)), most: MOST_PER_ADDRESS },
    { id: derived('login', ...whom), most: MOST_PER_LOGIN },
  ];
};

export const createLoginAttempts = (
  collection: CollectionHandle<AttemptsDocument>,
  now: () => number = Date.now,
): LoginAttempts => {
  /** Notes one more failure; answers when there is room again (epoch milliseconds) if there is none. */
  const add = async (institution: string, { id, most }: Limit, at: number): Promise<number | undefined> => {
    const own = collection.of(institution);
    let roomAt: number | undefined;
    const noted = await own.update(id, (current) => {
      const failures = current.failures.filter((failure) => failure > at - WINDOW_MS);
      const [oldest = at] = failures;
      roomAt = failures.length >= most ? oldest + WINDOW_MS : undefined;
      return roomAt === undefined
        ? { next: { ...current, failures: [...failures, at], expiresAt: at + WINDOW_MS } }
        : undefined;
    });
    if (noted) return roomAt;
    try {
      await own.insert({ id, failures: [at], expiresAt: at + WINDOW_MS });
      return undefined;
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
      return add(institution, { id, most }, at);
    }
  };

  const remove = async (institution: string, { id }: Limit, at: number): Promise<void> => {
    await collection.of(institution).update(id, (current) => {
      const index = current.failures.indexOf(at);
      return index < 0 ? undefined : { next: { ...current, failures: current.failures.toSpliced(index, 1) } };
    });
  };

  return {
    async count(attempt) {
      const at = now();
      const taken: Limit[] = [];
      const giveBack = async () => {
        for (const limit of taken) await remove(attempt.institution, limit, at);
      };
      for (const limit of limitsOf(attempt)) {
        const roomAt = await add(attempt.institution, limit, at);
        if (roomAt !== undefined) {
          await giveBack();
          return Math.max(1, roomAt - at);
        }
        taken.push(limit);
      }
      return { forgive: giveBack };
    },
    async sweep(limit) {
      const all = collection.acrossInstitutions;
      const over = await all.find({ where: { expiresAt: { lte: now() } }, orderBy: 'expiresAt', limit });
      for (const { id } of over) await all.delete(id);
      return over.length;
    },
  };
};
