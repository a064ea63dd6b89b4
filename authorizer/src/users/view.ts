import {
  createInstantSchema,
  createLineSchema,
  createNullableSchema,
  createPatchSchema,
  createView,
  emailSchema,
  listReadOnlyMembers,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { ROLES } from '../domain/scopes.ts';
import { STATES } from '../domain/user.ts';
import type { UserDocument } from '../store.ts';
import type { ShownInvitation } from './users.ts';

const Id = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });

const Name = createLineSchema({ maxLength: 100 });

export const Role = oneOf(ROLES, { description: 'bounds the scopes and the data of the user' });

export const State = oneOf(STATES, { description: '`invited` until the first password is set' });

const ContactNumber = createNullableSchema(
  createLineSchema({
    maxLength: 64,
    description: 'the contact whose data the user sees; required for the role `customer`, without effect on others',
  }),
);

export function createServiceHostsSchema(description: string) {
  return Type.Array(createLineSchema({ maxLength: 253 }), { maxItems: 100, description });
}

const PointsOfSale = createServiceHostsSchema(
  'service hosts: the points of sale whose orders the user sees, all if empty; only the role `box_office` is restricted by it',
);

export const NewUser = named(
  'UserInput',
  Type.Object({
    login: emailSchema,
    name: Name,
    role: Role,
    contactNumber: Type.Optional(ContactNumber),
    pointsOfSale: Type.Optional(PointsOfSale),
  }),
);

const Changeable = Type.Object({
  name: Name,
  role: Role,
  state: oneOf(STATES, { description: '`invited` is accepted where it is the present state' }),
  contactNumber: Type.Optional(ContactNumber),
  pointsOfSale: Type.Optional(PointsOfSale),
});

export const UserChanges = named('UserChanges', createPatchSchema(Changeable));

export const User = named(
  'User',
  Type.Object({
    userId: Id,
    login: Type.String({ description: 'an email, unique in the institution' }),
    name: Type.String(),
    role: Role,
    state: State,
    contactNumber: createNullableSchema(Type.String({ description: 'the contact whose data a `customer` sees' })),
    pointsOfSale: Type.Array(Type.String(), { description: 'whose orders `box_office` sees; empty: all' }),
    createdAt: timestamp,
    updatedAt: timestamp,
    lastSignInAt: createNullableSchema(createInstantSchema('null before the first time')),
  }),
);

const Invitation = named(
  'Invitation',
  Type.Object({
    url: Type.String({ description: 'a page on which the user sets a password; pass it on over a safe channel' }),
    expiresAt: timestamp,
  }),
);

export const UserWithInvitation = named(
  'UserWithInvitation',
  Type.Object({ ...User.properties, invitation: createNullableSchema(Invitation) }),
);

export const READ_ONLY = listReadOnlyMembers(User, Changeable);

const show = createView(User);

export function toUserView(user: UserDocument) {
  return show({ ...user, userId: user.id });
}

/** The public view with the invitation; null in a remembered answer. */
export function toInvitedUserView(user: UserDocument, invitation: ShownInvitation | null) {
  return { ...toUserView(user), invitation };
}

/** The persons whom an answer is about: erasing one, or deleting the user, deletes remembered answers. */
export function listSubjects({ id, contactNumber }: UserDocument): string[] {
  return contactNumber === null ? [id] : [id, contactNumber];
}

export const example = {
  userId: 'usr_q8Y2mXH0T3mV1n5b7c9d2Q',
  login: 'claire.dubois@opera.example',
  name: 'Claire Dubois',
  role: 'box_office',
  state: 'active',
  contactNumber: null,
  pointsOfSale: ['tickets.opera.example'],
  createdAt: '2027-03-01T09:30:00.000Z',
  updatedAt: '2027-03-01T10:02:41.000Z',
  lastSignInAt: '2027-03-14T17:45:03.000Z',
} as const;

export const invitedExample = {
  ...example,
  state: 'invited',
  lastSignInAt: null,
  invitation: {
    url: 'https://tickets.example.org/auth/invitation?token=inv_mYF6v0hUu5cK1xJ9T3bQ7dW2eR8aZ4sN6gL0pVtXyHk',
    expiresAt: '2027-03-08T09:30:00.000Z',
  },
} as const;
