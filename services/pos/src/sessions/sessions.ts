import { hash, randomBytes } from 'node:crypto';
import type { New, Store } from '@boxoffice/store';
import type { PointOfSale } from '../clients/catalog.ts';
import { newId, ofSession } from '../ids.ts';
import { type SessionDocument, sessions } from '../store.ts';

export interface SessionLimits {
  /** A session ends after so long without a request, and after so long in all; milliseconds. */
  readonly idleMs: number;
  readonly absoluteMs: number;
}

type Where = Pick<PointOfSale, 'institution' | 'serviceHost'>;

/** A session and the token that is said this once. */
export interface NewSession {
  readonly session: SessionDocument;
  readonly token: string;
}

/** What a session begins with. */
export type Beginning = Partial<
  Pick<SessionDocument, 'userId' | 'login' | 'contactNumber' | 'cartId' | 'orderIds' | 'awaiting'>
>;

/** The sessions of visitors. A token is 256 random bits; only a hash of it is kept, so nobody can read tokens out of the store. */
export interface Sessions {
  begin(where: Where, beginning?: Beginning): Promise<NewSession>;
  /** The live session of a token at this point of sale; undefined for any other token. Being found keeps it alive. */
  find(where: Where, token: string): Promise<SessionDocument | undefined>;
  /** Changes a session; undefined if it has ended meanwhile. `fn` answers undefined to leave it. */
  update(
    session: SessionDocument,
    fn: (current: SessionDocument) => Partial<New<SessionDocument>> | undefined,
  ): Promise<SessionDocument | undefined>;
  /** Ends it, and drops its remembered answers; answers whether it was there. */
  end(session: SessionDocument): Promise<boolean>;
  /** Epoch milliseconds after which it has ended, unless it is used. */
  endOf(session: SessionDocument): number;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Its last use is written at most once a minute. */
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
    // Who uses the session does not wait for this, and nothing is lost if it fails once.
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
      // It has ended, whatever becomes of this: nobody can be given the answers any more, and they expire within a day.
      await store.idempotency.forget(ofSession(id)).catch(() => undefined);
      return wasThere;
    },
  };
};
