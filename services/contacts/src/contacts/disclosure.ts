import { Fault } from '@boxoffice/envelope';
import { DuplicateEmail } from '@boxoffice/envelope/contact-exception';
import type { Caller } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { LRUCache } from 'lru-cache';

/** A client that may write contacts but not read them was shown one. */
type Audit = (caller: Pick<Caller, 'institution' | 'client'>, event: keyof typeof MESSAGES) => void;

/**
 * Watches over the answer to a duplicate email. It shows the existing contact, as the interface demands (section 2), also to a client that
 * may only write contacts: so each such answer is audited, and a client gets only so many a minute.
 */
export interface Disclosure {
  /** Runs a write. Rejects as it does, but with Fault too_many_requests instead of a contact above the limit. */
  guard<Written>(caller: Caller, write: () => Promise<Written>): Promise<Written>;
}

export interface DisclosureOptions {
  /** Contacts that a client without `contacts:read` is shown in a minute at most, by each process. */
  readonly perMinute: number;
  readonly audit: Audit;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

const MESSAGES = {
  contact_disclosed: 'a duplicate email showed a contact to a client that may only write',
  disclosure_throttled: 'a client that may only write tries many emails',
} as const;

const MINUTE_MS = 60_000;
/** Clients that are counted at once; the least recently seen are forgotten. */
const CLIENTS = 10_000;

/** The audit stream of a logger; the contact itself is not told. */
export const auditTo =
  (logger: Pick<Logger, 'warn'>): Audit =>
  ({ institution, client }, event) =>
    logger.warn(MESSAGES[event], { event: `audit.${event}`, institution, client });

/** Makes the watch over duplicate emails' answers. */
export const createDisclosure = ({ perMinute, audit, now = Date.now }: DisclosureOptions): Disclosure => {
  const windows = new LRUCache<string, { readonly endsAt: number; shown: number }>({ max: CLIENTS });
  const windowOf = (key: string) => {
    const known = windows.get(key);
    if (known && known.endsAt > now()) return known;
    const fresh = { endsAt: now() + MINUTE_MS, shown: 0 };
    windows.set(key, fresh);
    return fresh;
  };

  const count = (caller: Caller): void => {
    const window = windowOf(`${caller.institution} ${caller.client}`);
    window.shown += 1;
    if (window.shown > perMinute) {
      audit(caller, 'disclosure_throttled');
      throw new Fault('too_many_requests', 'Too many emails of contacts that are there already; try again later.', {
        'Retry-After': String(Math.ceil((window.endsAt - now()) / 1000)),
      });
    }
    audit(caller, 'contact_disclosed');
  };

  return {
    async guard(caller, write) {
      try {
        return await write();
      } catch (error) {
        if (error instanceof DuplicateEmail && !caller.scopes.includes('contacts:read')) count(caller);
        throw error;
      }
    },
  };
};
