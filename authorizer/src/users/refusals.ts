import { Fault } from '@boxoffice/envelope';
import { insertUnlessTaken, type Store } from '@boxoffice/store';
import type { Refusal } from '../domain/user.ts';
import { type AdminDeparturesDocument, adminDeparturesCollection, usersCollection } from '../store.ts';

/** Longer than any request takes: the departure of a process that died is forgotten then. Milliseconds. */
const DEPARTURE_MS = 60_000;

/**
 * Runs a write by which a user ceases to be an active admin; rejects with Fault `user_last_admin` if there is no other.
 * Those who leave are recorded first, in one document; after a crash the user counts for less, for a minute.
 */
export function createAdminDeparture(store: Store, now: () => number) {
  const documents = store.collection(adminDeparturesCollection);
  const users = store.collection(usersCollection);

  const departures = async (institution: string): Promise<AdminDeparturesDocument> => {
    const own = documents.of(institution);
    const known = await own.get(institution);
    if (known) return known;
    await insertUnlessTaken(own, { id: institution, leaving: [] });
    return departures(institution);
  };

  const announce = async (institution: string, userId: string): Promise<void> => {
    const known = await departures(institution);
    const leaving = known.leaving.filter((one) => one.until > now() && one.userId !== userId);
    const admins = await users.of(institution).find({ where: { role: 'admin', state: 'active' } });
    const others = admins.filter(({ id }) => id !== userId && !leaving.some((one) => one.userId === id));
    if (others.length === 0)
      throw new Fault('user_last_admin', 'This is the last active admin of the institution; make another one first.');
    let isCurrent = false;
    await documents.of(institution).update(institution, (current) => {
      isCurrent = current.version === known.version;
      const next = { ...current, leaving: [...leaving, { userId, until: now() + DEPARTURE_MS }] };
      return isCurrent ? { next } : undefined;
    });
    if (!isCurrent) await announce(institution, userId);
  };

  const forget = async (institution: string, userId: string): Promise<void> => {
    await documents.of(institution).update(institution, (current) => {
      const leaving = current.leaving.filter((one) => one.userId !== userId);
      return leaving.length === current.leaving.length ? undefined : { next: { ...current, leaving } };
    });
  };

  return async <Result>(institution: string, userId: string, write: () => Promise<Result>): Promise<Result> => {
    await announce(institution, userId);
    try {
      return await write();
    } finally {
      await forget(institution, userId).catch(() => undefined);
    }
  };
}

export function createNotFoundFault(): Fault {
  return new Fault('not_found', 'There is no user with this id.');
}

export const refusals: Record<Refusal, () => Fault> = {
  customer_without_contact: () =>
    new Fault(
      'semantically_invalid',
      '$.contactNumber is required for the role customer: it bounds what the user sees.',
    ),
  not_active_yet: () =>
    new Fault(
      'conflict',
      'The user has not set a password yet: POST /svc/v3/users/{userId}/invitation (createUserInvitation) makes a new link.',
    ),
  invited_by_hand: () =>
    new Fault(
      'semantically_invalid',
      '$.state cannot be set to invited; POST /svc/v3/users/{userId}/invitation (createUserInvitation) invites.',
    ),
  locked: () => new Fault('conflict', 'The user is locked; set $.state to active first.'),
  not_locked: () => new Fault('conflict', 'The user is not locked.'),
};
