import { randomUUID } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { DuplicateEmail } from '@boxoffice/envelope/contact-exception';
import { type Caller, toPrincipal } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { type CollectionHandle, type Documents, insertUnlessTaken } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import type { DisclosuresDocument } from '../store.ts';

/** An answer disclosed a contact, or that there is one, to a caller who may not read it. */
type Audit = (caller: Pick<Caller, 'institution' | 'client' | 'user'>, event: keyof typeof MESSAGES) => void;

/**
 * The answer to a duplicate email shows the existing contact (section 2), also to a client without read access; a
 * customer, and a client with bounds, learns that there is one. So each such answer is audited, and their rate per
 * client, or per user at it, is limited; of customers to a few an hour, over all processes.
 */
export interface Disclosure {
  /**
   * Rethrows the errors of the write; above the limit, Fault `too_many_requests` replaces the contact, or, for a
   * customer, the look-up.
   */
  guard<Written>(caller: Caller, write: () => Promise<Written>): Promise<Written>;
}

interface DisclosureOptions {
  /** Counted per process, for clients and users that may not read contacts. */
  readonly perMinute: number;
  readonly disclosures: CollectionHandle<DisclosuresDocument>;
  readonly audit: Audit;
}

const MESSAGES = {
  contact_disclosed:
    'a duplicate email disclosed a contact, or that there is one, to a client or user that may not read it',
  disclosure_throttled: 'a client or user exceeds the limit of duplicate emails of contacts that it may not read',
} as const;

const MINUTE_MS = 60_000;
/** The least recently used are evicted. */
const CLIENTS = 10_000;

/** The entries do not name the contact. */
export function createAudit(logger: Pick<Logger, 'warn'>): Audit {
  return ({ institution, client, user }, event) =>
    logger.warn(MESSAGES[event], { event: `audit.${event}`, institution, client, ...(user && { user: user.id }) });
}

/** A customer learns of so many existing emails of others. */
export const MOST_PER_HOUR = 5;
const HOUR_MS = 60 * MINUTE_MS;

/** A process limits clients, or their users, in windows of a minute; the store limits customers, by the hour. */
export function createDisclosure({ perMinute, disclosures, audit }: DisclosureOptions): Disclosure {
  const windows = new LRUCache<string, { readonly endsAt: number; shown: number }>({ max: CLIENTS });
  const windowOf = (key: string) => {
    const known = windows.get(key);
    if (known && known.endsAt > Date.now()) return known;
    const fresh = { endsAt: Date.now() + MINUTE_MS, shown: 0 };
    windows.set(key, fresh);
    return fresh;
  };

  const count = (caller: Caller): void => {
    const window = windowOf(`${caller.institution} ${toPrincipal(caller)}`);
    window.shown += 1;
    if (window.shown > perMinute) {
      audit(caller, 'disclosure_throttled');
      throw tooMany(window.endsAt - Date.now());
    }
    audit(caller, 'contact_disclosed');
  };

  const guardCustomer = async <Written>(caller: Caller, userId: string, write: () => Promise<Written>) => {
    const takeBack = await countHourly(disclosures.of(caller.institution), userId).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'too_many_requests') audit(caller, 'disclosure_throttled');
      throw error;
    });
    let isLearned = false;
    try {
      return await write();
    } catch (error) {
      isLearned = isDisclosed(caller, error);
      if (isLearned) audit(caller, 'contact_disclosed');
      throw error;
    } finally {
      if (!isLearned) await takeBack();
    }
  };

  return {
    async guard(caller, write) {
      if (caller.user?.role === 'customer') return guardCustomer(caller, caller.user.id, write);
      try {
        return await write();
      } catch (error) {
        if (isDisclosed(caller, error)) count(caller);
        throw error;
      }
    },
  };
}

/**
 * Counts before anything is learned, so that concurrent requests learn no more; the returned function takes it back.
 * @throws Fault `too_many_requests`
 */
const countHourly = async (
  documents: Documents<DisclosuresDocument>,
  userId: string,
): Promise<() => Promise<unknown>> => {
  const entry = { id: randomUUID(), at: Date.now() };
  const expiresAt = entry.at + HOUR_MS;
  const countLearned = () =>
    documents.update(userId, (current) => {
      const recent = current.learned.filter(({ at }) => at > entry.at - HOUR_MS);
      const [oldest] = recent;
      if (oldest && recent.length >= MOST_PER_HOUR) throw tooMany(oldest.at + HOUR_MS - entry.at);
      return { next: { ...current, learned: [...recent, entry], expiresAt } };
    });
  const first = { id: userId, learned: [entry], expiresAt };
  while (!(await countLearned())) if (await insertUnlessTaken(documents, first)) break;
  return () =>
    documents.update(userId, (current) => ({
      next: { ...current, learned: current.learned.filter(({ id }) => id !== entry.id) },
    }));
};

const tooMany = (endsInMs: number): Fault =>
  new Fault('too_many_requests', 'Too many duplicate emails; try again later.', {
    'Retry-After': String(Math.max(1, Math.ceil(endsInMs / 1_000))),
  });

/** True if the contact is shown, or out of the caller's bounds. */
const isDisclosed = ({ scopes }: Caller, error: unknown): boolean =>
  error instanceof Fault &&
  error.code === 'contact_duplicate_email' &&
  !(error instanceof DuplicateEmail && scopes.includes('contacts:read'));
