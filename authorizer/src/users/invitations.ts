import { hash, randomBytes } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { INVITATION_MS, type Invitation, isInvited } from '../domain/user.ts';
import { invitationsCollection, type UserDocument, usersCollection } from '../store.ts';

/** A new user id. */
export const makeUserId = (): string => `usr_${randomBytes(16).toString('base64url')}`;

/** The form of invitations; any other text is not looked up. */
const INVITATION = /^inv_[A-Za-z0-9_-]{43}$/;

/** The stored form of an invitation's secret. */
export const hashInvitation = (secret: string): string => hash('sha256', secret, 'base64url');

/** Where an invitation's link leads, below the public address. */
export const INVITATION_PATH = '/auth/invitation';

/** A new invitation with its link, which is shown this once. */
export interface NewInvitation {
  readonly invitation: Invitation;
  readonly secret: string;
}

/** Makes an invitation that is not stored yet; its secret is 256 random bits. */
export const makeNewInvitation = (now: number): NewInvitation => {
  const secret = `inv_${randomBytes(32).toString('base64url')}`;
  return { secret, invitation: { hash: hashInvitation(secret), expiresAt: now + INVITATION_MS } };
};

/** The link of an invitation. */
export const invitationUrl = (publicUrl: string, secret: string): string =>
  `${publicUrl}${INVITATION_PATH}?token=${secret}`;

/** Makes the invitation known by its secret; written before the user, who decides whether it counts. */
export const storeInvitation = async (
  store: Store,
  institution: string,
  userId: string,
  { hash, expiresAt }: Invitation,
): Promise<void> => {
  await store.collection(invitationsCollection).of(institution).insert({ id: hash, userId, expiresAt });
};

/** Deletes the look-up of an invitation that counts no more. */
export const removeInvitation = async (store: Store, institution: string, invitation: Invitation | null) => {
  if (invitation !== null) await store.collection(invitationsCollection).of(institution).delete(invitation.hash);
};

/** Removes an expired invitation from its user. */
export const forgetInvitation = async (store: Store, institution: string, hash: string): Promise<void> => {
  const found = await store.collection(invitationsCollection).of(institution).get(hash);
  if (!found) return;
  await store
    .collection(usersCollection)
    .of(institution)
    .update(found.userId, (user) =>
      user.invitation?.hash === hash ? { next: { ...user, invitation: null } } : undefined,
    );
};

/** The user whom a secret invites now; undefined if it was used, replaced, has expired or never existed. */
export const invitedUser = async (store: Store, secret: string, now: number): Promise<UserDocument | undefined> => {
  if (!INVITATION.test(secret)) return undefined;
  const hash = hashInvitation(secret);
  const found = await store.collection(invitationsCollection).acrossInstitutions.get(hash);
  const user = found && (await store.collection(usersCollection).of(found.institution).get(found.userId));
  return user && isInvited(user, hash, now) ? user : undefined;
};
