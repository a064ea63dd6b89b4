import { Fault } from '@boxoffice/envelope';
import { hashPassword, toEmailLoginKey } from '@boxoffice/logins';
import { type Collection, type Document, type IdempotencyRecord, type Store, UniqueViolation } from '@boxoffice/store';
import * as rules from '../domain/user.ts';
import { hashSecret, makeSecret } from '../secrets.ts';
import {
  type ChangeRequest,
  consentsCollection,
  grantsCollection,
  sessionsCollection,
  type UserDocument,
  usersCollection,
} from '../store.ts';
import { findUserByLogin } from './accounts.ts';
import {
  buildInvitationUrl,
  findInvitedUser,
  makeNewInvitation,
  type NewInvitation,
  removeInvitation,
  storeInvitation,
} from './invitations.ts';
import { createReferenceCheck, type References } from './references.ts';
import { createAdminDeparture, createNotFoundFault, refusals } from './refusals.ts';

/** A link that lets its user set a password; shown this once. */
export interface ShownInvitation {
  readonly url: string;
  readonly expiresAt: string;
}

interface UsersOptions {
  readonly publicUrl: string;
  readonly references?: References;
  readonly now?: () => number;
}

/** The write would take the last step of an active admin, and needs the rule about the last one. */
class AdminDeparts extends Error {
  override readonly name = 'AdminDeparts';
}

type Request = ChangeRequest<UserDocument>;

type Step = (current: UserDocument, at: Date) => UserDocument | rules.Refusal;

export type Users = ReturnType<typeof createUsers>;

export function createUsers(store: Store, { publicUrl, references, now = Date.now }: UsersOptions) {
  const users = store.collection(usersCollection);
  const requireKnown = createReferenceCheck(references);
  const departAdmin = createAdminDeparture(store, now);

  /** Runs a write, first without and, if it makes an active admin depart, again under the rule about the last one. */
  const writeKeepingAdmin = async <Result>(
    institution: string,
    userId: string,
    write: (mayDepart: boolean) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await write(false);
    } catch (error) {
      if (!(error instanceof AdminDeparts)) throw error;
      return departAdmin(institution, userId, () => write(true));
    }
  };

  /** The user after a step. @throws {Fault} if the request or the rules refuse it */
  const applyStep = (current: UserDocument, { allow }: Request, step: Step): UserDocument => {
    allow?.(current);
    const next = step(current, new Date(now()));
    if (typeof next === 'string') throw refusals[next]();
    return next;
  };

  const change = async (institution: string, userId: string, request: Request, step: Step): Promise<UserDocument> => {
    const { idempotencyRecord } = request;
    const updated = await writeKeepingAdmin(institution, userId, (mayDepart) =>
      users.of(institution).update(
        userId,
        (current) => {
          const next = applyStep(current, request, step);
          if (!mayDepart && rules.isActiveAdmin(current) && !rules.isActiveAdmin(next)) throw new AdminDeparts();
          return { next };
        },
        { idempotencyRecord },
      ),
    );
    if (!updated) throw createNotFoundFault();
    return updated;
  };

  const showInvitation = ({ secret, invitation }: NewInvitation): ShownInvitation => ({
    url: buildInvitationUrl(publicUrl, secret),
    expiresAt: new Date(invitation.expiresAt).toISOString(),
  });

  /** @throws {Fault} not_found, like all methods of a user id */
  const getUser = async (institution: string, userId: string): Promise<UserDocument> => {
    const user = await users.of(institution).get(userId);
    if (!user) throw createNotFoundFault();
    return user;
  };

  const signOut = async ({ institution, id }: UserDocument): Promise<void> => {
    const forget = async <T extends Document>(collection: Collection<T>): Promise<void> => {
      const own = store.collection(collection).of(institution);
      for (const found of await own.find({ where: { userId: id } })) await own.delete(found.id);
    };
    await forget(sessionsCollection);
    await forget(grantsCollection);
    await forget(consentsCollection);
  };

  /**
   * What the user signed in to goes first, so that a crash leaves a user to delete again, and once more afterwards,
   * because the user may have signed in meanwhile. False if it was changed since it was read.
   */
  const erase = async (user: UserDocument, version?: number): Promise<boolean> => {
    await signOut(user);
    if (!(await users.of(user.institution).delete(user.id, version))) return false;
    await signOut(user);
    await removeInvitation(store, user.institution, user.invitation);
    await store.idempotency.forget(user.id);
    return true;
  };

  /** A user of another role loses the number. Undefined if neither was needed. */
  const leaveContact = async (
    user: UserDocument,
    contactNumber: string,
  ): Promise<'deleted' | 'unlinked' | undefined> => {
    if (user.role === 'customer') {
      if (await erase(user, user.version)) return 'deleted';
    } else {
      let isCurrent = false;
      await users.of(user.institution).update(user.id, (current) => {
        isCurrent = current.version === user.version;
        return isCurrent ? { next: rules.removeContact(current, new Date(now())) } : undefined;
      });
      if (isCurrent) {
        // Remembered answers about the user name the contact.
        await store.idempotency.forget(user.id);
        return 'unlinked';
      }
    }
    // Changed since it was read: its role may be another one, or its contact.
    const again = await users.of(user.institution).get(user.id);
    return again?.contactNumber === contactNumber ? leaveContact(again, contactNumber) : undefined;
  };

  /** Makes a new invitation by a rule; the one before it ends. */
  const inviteBy = async (rule: typeof rules.invite, institution: string, userId: string, request: Request) => {
    const before = await getUser(institution, userId);
    const made = makeNewInvitation(now());
    await storeInvitation(store, institution, userId, made.invitation);
    try {
      const user = await change(institution, userId, request, (current, at) => rule(current, made.invitation, at));
      await removeInvitation(store, institution, before.invitation);
      return { user, invitation: showInvitation(made) };
    } catch (error) {
      await removeInvitation(store, institution, made.invitation);
      throw error;
    }
  };

  /** Deletes a user; returns it as it was. @throws {Fault} user_last_admin */
  const remove = async (institution: string, userId: string, allow?: Request['allow']): Promise<UserDocument> => {
    const user = await getUser(institution, userId);
    allow?.(user);
    const isDeleted = await writeKeepingAdmin(institution, userId, async (mayDepart) => {
      if (!mayDepart && rules.isActiveAdmin(user)) throw new AdminDeparts();
      return erase(user, user.version);
    });
    // Changed since it was read: the check and the rule apply to what it is now.
    return isDeleted ? user : remove(institution, userId, allow);
  };

  return {
    documents: (institution: string) => users.of(institution),
    get: getUser,
    ofLogin: (institution: string, login: string) => findUserByLogin(users.of(institution), login),
    /** @throws {Fault} user_duplicate_login; semantically_invalid; service_unavailable, then nothing is written */
    create: async (
      institution: string,
      { login, ...details }: rules.UserDetails & Pick<rules.User, 'login'>,
      idempotencyRecord?: IdempotencyRecord<UserDocument>,
    ) => {
      if (details.role === 'customer' && details.contactNumber === null) throw refusals.customer_without_contact();
      await requireKnown(institution, details);
      const made = makeNewInvitation(now());
      const id = makeSecret('usr_', 16);
      await storeInvitation(store, institution, id, made.invitation);
      const registered = {
        id,
        ...rules.buildUser({ ...details, login, loginKey: toEmailLoginKey(login) }, made.invitation, new Date(now())),
      };
      try {
        const user = await users.of(institution).insert(registered, { idempotencyRecord });
        return { user, invitation: showInvitation(made) };
      } catch (error) {
        await removeInvitation(store, institution, made.invitation);
        if (!(error instanceof UniqueViolation)) throw error;
        throw new Fault('user_duplicate_login', 'The institution has another user with this login.');
      }
    },
    /** Checks what is new. @throws {Fault} user_last_admin, semantically_invalid, conflict, service_unavailable */
    amend: async (institution: string, userId: string, to: rules.UserChange, request: Request = {}) => {
      const before = await getUser(institution, userId);
      const step: Step = (current, at) => rules.amend(current, to, at);
      // Refused for a reason of its own, a change asks no other service; the write checks again what the user is then.
      applyStep(before, request, step);
      await requireKnown(institution, to, before);
      const user = await change(institution, userId, request, step);
      if (user.invitation === null) await removeInvitation(store, institution, before.invitation);
      return user;
    },
    remove,
    /** Makes a new invitation; the one before it ends. @throws {Fault} conflict for a locked user */
    invite: (institution: string, userId: string, request: Request = {}) =>
      inviteBy(rules.invite, institution, userId, request),
    /** With a new invitation. @throws {Fault} conflict if it is not locked */
    readmit: (institution: string, userId: string) => inviteBy(rules.readmit, institution, userId, {}),
    /** Sets a password that {@link findPasswordProblem} accepts; all sign-ins end. */
    setPassword: async (institution: string, userId: string, password: string) => {
      const passwordHash = await hashPassword(password);
      const before = await getUser(institution, userId);
      const user = await change(institution, userId, {}, (current, at) =>
        current.state === 'locked' ? 'locked' : rules.applyPassword(current, passwordHash, at),
      );
      await removeInvitation(store, institution, before.invitation);
      return user;
    },
    invited: (secret: string) => findInvitedUser(store, secret, now()),
    accept: async (secret: string, password: string) => {
      const invitee = await findInvitedUser(store, secret, now());
      if (!invitee) return undefined;
      const passwordHash = await hashPassword(password);
      const hash = hashSecret(secret);
      let isAccepted = false;
      const user = await users.of(invitee.institution).update(invitee.id, (current) => {
        isAccepted = rules.isInvited(current, hash, now());
        return isAccepted ? { next: rules.applyPassword(current, passwordHash, new Date(now())) } : undefined;
      });
      if (!user || !isAccepted) return undefined;
      await removeInvitation(store, user.institution, invitee.invitation);
      return user;
    },
    /** Deletes the customers of an erased contact; users of other roles lose its number. Says whom it did that to. */
    eraseContact: async (institution: string, contactNumber: string) => {
      const done: { readonly userId: string; readonly outcome: 'deleted' | 'unlinked' }[] = [];
      for (const user of await users.of(institution).find({ where: { contactNumber } })) {
        const outcome = await leaveContact(user, contactNumber);
        if (outcome) done.push({ userId: user.id, outcome });
      }
      await store.idempotency.forget(contactNumber);
      return done;
    },
  };
}
