import { hash, randomBytes } from 'node:crypto';
import type { New, Store } from '@boxoffice/store';
import type { PointOfSale } from '../clients/catalog.ts';
import { newId, ofSession } from '../ids.ts';
import { type SessionDocument, sessions } from '../store.ts';

export interface SessionLimits {
  /** Milliseconds without a request after which a session ends. */
  readonly idleMs: number;
  /** Milliseconds after its creation at which a session ends in any case. */
  readonly absoluteMs: number;
}

type Where = Pick<PointOfSale, 'institution' | 'serviceHost'>;

/** A session and its plaintext token, returned only here. */
export interface NewSession {
  readonly session: SessionDocument;
  readonly token: string;
}

/** The initial members of a session. */
export type Beginning = Partial<
  Pick<SessionDocument, 'userId' | 'login' | 'contactNumber' | 'cartId' | 'orderIds' | 'awaiting'>
>;

/** The sessions of visitors. A token is 256 random bits; the store contains only its hash. */
export interface Sessions {
  begin(where: Where, beginning?: Beginning): Promise<NewSession>;
  /** The live session of a token at this point of sale, else undefined. Each call renews the idle time. */
  find(where: Where, token: string): Promise<SessionDocument | undefined>;
  /**
   * Changes a session, unless `fn` returns undefined. Resolves to the current session, or undefined if it has ended.
   */
  update(
    session: SessionDocument,
    fn: (current: SessionDocument) => Partial<New<SessionDocument>> | undefined,
  ): Promise<SessionDocument | undefined>;
  /** Ends a session and deletes its idempotency records; resolves to whether it existed. */
  end(session: SessionDocument): Promise<boolean>;
  /** When the session ends if it is not used (epoch milliseconds). */
  endOf(session: SessionDocument): number;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Minimum milliseconds between two writes of `lastSeenAt`; a tenth of the idle time if that is shorter. */
const TOUCH_MS = 60_000;

const idOf = (token: string): string => hash('sha256', `session ${token}`, 'base64url');

export const createSessions = (
  store: Store,
  { idleMs, absoluteMs }: SessionLimits,
  now: () => number = Date.now,
): Sessions => {
  const collection = store.collection(sessions);
  const touchMs = Math.min(TOUCH_MS, idleMs / 10);
  const endOf = ({ lastSeenAt, expiresAt }: SessionDocument) => Math.min(lastSeenAt + idleMs, expiresAt);

  const update: Sessions['update'] = (session, fn) =>
    collection.of(session.institution).update(session.id, (current) => {
      const changed = fn(current);
      return changed && { next: { ...current, ...changed } };
    });

  const touch = (session: SessionDocument, at: number): void => {
    // Not awaited, so that it delays no request; after a failure the next request writes again.
    update(session, ({ lastSeenAt }) => (lastSeenAt < at ? { lastSeenAt: at } : undefined)).catch(() => undefined);
  };

  return {
    update,
    endOf,
    async begin({ institution, serviceHost }, beginning = {}) {
      const token = randomBytes(32).toString('base64url');
      const at = now();
      const session = await collection.of(institution).insert({
        id: idOf(token),
        sessionId: newId('ses'),
        serviceHost,
        userId: null,
        login: null,
        contactNumber: null,
        cartId: null,
        orderIds: [],
        ...beginning,
        createdAt: at,
        lastSeenAt: at,
        expiresAt: at + absoluteMs,
      });
      return { session, token };
    },
    async find({ institution, serviceHost }, token) {
      if (!TOKEN.test(token)) return undefined;
      const session = await collection.of(institution).get(idOf(token));
      const at = now();
      if (!session || session.serviceHost !== serviceHost || endOf(session) <= at) return undefined;
      if (at - session.lastSeenAt < touchMs) return session;
      touch(session, at);
      return { ...session, lastSeenAt: at };
    },
    async end({ institution, id }) {
      const wasThere = await collection.of(institution).delete(id);
      // Best effort: the records cannot be replayed without the session, and they expire within a day.
      await store.idempotency.forget(ofSession(id)).catch(() => undefined);
      return wasThere;
    },
  };
};
