import { Fault } from '@boxoffice/envelope';
import { DuplicateEmail } from '@boxoffice/envelope/contact-exception';
import { type Caller, principalOf } from '@boxoffice/identity';
import type { Logger } from '@boxoffice/runtime';
import { LRUCache } from 'lru-cache';

/** Records that an answer disclosed a contact, or that there is one, to a caller who may not read it. */
type Audit = (caller: Pick<Caller, 'institution' | 'client'>, event: keyof typeof MESSAGES) => void;

/**
 * Limits what the answer to a duplicate email discloses. The interface (section 2) requires it to show the existing
 * contact, also to a client without read access; a customer, and a client with bounds, learns that another contact has the
 * email: so each such answer is audited, and their rate per client, or per user at it, is limited.
 */
export interface Disclosure {
  /** Runs a write and rethrows its errors; above the limit, Fault `too_many_requests` replaces the contact. */
  guard<Written>(caller: Caller, write: () => Promise<Written>): Promise<Written>;
}

interface DisclosureOptions {
  /** The most contacts per minute and process that are disclosed to a client or user that may not read them. */
  readonly perMinute: number;
  readonly audit: Audit;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

const MESSAGES = {
  contact_disclosed:
    'a duplicate email disclosed a contact, or that there is one, to a client or user that may not read it',
  disclosure_throttled: 'a client or user exceeds the limit of duplicate emails of contacts that it may not read',
} as const;

const isDuplicate = (error: unknown): boolean => error instanceof Fault && error.code === 'contact_duplicate_email';

/** Whether the caller learns of a contact that it may not read: one that is shown, or one out of its bounds. */
const isDisclosed = ({ scopes }: Caller, error: unknown): boolean =>
  isDuplicate(error) && !(error instanceof DuplicateEmail && scopes.includes('contacts:read'));

const MINUTE_MS = 60_000;
/** The most clients that are counted at a time; the least recently used are evicted. */
const CLIENTS = 10_000;

/** Writes audit entries to a logger, without the contact. */
export const auditTo =
  (logger: Pick<Logger, 'warn'>): Audit =>
  ({ institution, client }, event) =>
    logger.warn(MESSAGES[event], { event: `audit.${event}`, institution, client });

/** Makes the limit of one process: one-minute windows per client, or per user at a client. */
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
    const window = windowOf(`${caller.institution} ${principalOf(caller)}`);
    window.shown += 1;
    if (window.shown > perMinute) {
      audit(caller, 'disclosure_throttled');
      throw new Fault('too_many_requests', 'Too many duplicate emails; try again later.', {
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
        if (isDisclosed(caller, error)) count(caller);
        throw error;
      }
    },
  };
};
