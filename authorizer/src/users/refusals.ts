import { Fault } from '@boxoffice/envelope';
import type { Refusal } from '../domain/user.ts';

/** Of an id that is unknown. */
export const absent = (): Fault => new Fault('not_found', 'There is no user with this id.');

/** Of a login that is taken. */
export const duplicate = (): Fault =>
  new Fault('user_duplicate_login', 'The institution has another user with this login.');

/** Of a change that the rules refuse. */
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
