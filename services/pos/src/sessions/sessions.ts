import { hash, randomBytes } from 'node:crypto';
import type { New, Store, Where } from '@boxoffice/store';
import type { PointOfSale } from '../clients/catalog.ts';
import { createId, deriveSessionOwner, type SessionDocument, sessions } from '../store.ts';

/** The token stands in plain text only here. */
export interface NewSession {
  readonly session: SessionDocument;
  readonly token: string;
}

type Beginning = Partial<
  Pick<SessionDocument, 'userId' | 'login' | 'contactNumber' | 'cartId' | 'orderIds' | 'awaiting'>
>;

type Place = Pick<PointOfSale, 'institution' | 'serviceHost'>;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Milliseconds between two writes of `lastSeenAt`; a tenth of the idle time if that is shorter. */
const TOUCH_MS = 60_000;

/** A token is 256 random bits; the store contains only its hash. */
export function createSessions(
  store: Store,
  { idleMs, absoluteMs }: { readonly idleMs: number; readonly absoluteMs: number },
  now: () => number = Date.now,
) {
  const collection = store.collection(sessions);
  const touchMs = Math.min(TOUCH_MS, idleMs / 10);

  /** The end of an unused session; epoch milliseconds. */
  const endOf = ({ lastSeenAt, expiresAt }: SessionDocument): number => Math.min(lastSeenAt + idleMs, expiresAt);

  /** Unless `fn` returns undefined. Resolves to undefined if the session has ended. */
  const update = (
    session: SessionDocument,
    fn: (current: SessionDocument) => Partial<New<SessionDocument>> | undefined,
  ): Promise<SessionDocument | undefined> =>
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
    async begin({ institution, serviceHost }: Place, beginning: Beginning = {}): Promise<NewSession> {
      const token = randomBytes(32).toString('base64url');
      const at = now();
      const session = await collection.of(institution).insert({
        id: deriveSessionId(token),
        sessionId: createId('ses'),
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
    /** Finds live sessions of this point of sale; each call renews the idle time. */
    async find({ institution, serviceHost }: Place, token: string): Promise<SessionDocument | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const session = await collection.of(institution).get(deriveSessionId(token));
      const at = now();
      if (!session || session.serviceHost !== serviceHost || endOf(session) <= at) return undefined;
      if (at - session.lastSeenAt < touchMs) return session;
      touch(session, at);
      return { ...session, lastSeenAt: at };
    },
    /** Deletes its idempotency records, too; resolves to whether it existed. */
    async end({ institution, id }: SessionDocument): Promise<boolean> {
      const wasThere = await collection.of(institution).delete(id);
      // They cannot be replayed without the session, and expire within a day.
      await store.idempotency.forget(deriveSessionOwner(id)).catch(() => undefined);
      return wasThere;
    },
  };
}

const deriveSessionId = (token: string): string => hash('sha256', `session ${token}`, 'base64url');

export type Sessions = ReturnType<typeof createSessions>;

/** Idempotency records go first: after a crash in between, a repeat still finds the session. */
export async function deleteSessions(store: Store, institution: string, where: Where): Promise<void> {
  const found = store.collection(sessions).of(institution);
  for (const { id } of await found.find({ where })) {
    await store.idempotency.forget(deriveSessionOwner(id));
    await found.delete(id);
  }
}
