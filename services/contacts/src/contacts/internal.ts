import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  createLineSchema,
  createNullableSchema,
  emailSchema,
  languageTag,
  named,
  ok,
  oneOf,
  operation,
  timestamp,
} from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { type Static, Type } from 'typebox';
import { CONTACT_NUMBER, computeEmailKey, isContactNumber } from '../domain/contact.ts';
import { computeNameKey, toPrefixRange } from '../domain/search-key.ts';
import type { ContactDocument } from '../store.ts';
import type { ContactsOf } from './contacts.ts';
import * as example from './schemas.ts';

const KnownContact = named(
  'KnownContact',
  Type.Object({
    contactNumber: Type.String(),
    kind: oneOf(['individual', 'structure']),
    criteria: Type.Array(Type.String(), { description: 'what entitles to tariffs and payment methods' }),
    hasEmail: Type.Optional(Type.Boolean()),
    erasedAt: createNullableSchema(timestamp),
  }),
);

/** The service calls for this client: contacts out of its reach are unknown. */
const reach = {
  clientId: Type.Optional(
    Type.String({ minLength: 1, description: 'a client with bounds: contacts out of its reach are unknown' }),
  ),
  ownOrders: Type.Optional(Type.Boolean({ default: true, description: 'of its bounds' })),
  pointsOfSale: Type.Optional(Type.String({ description: 'of its bounds, comma-separated; absent: all' })),
};

/** One search finds so many at most. */
const MOST_FOUND = 2_000;

const text = () => createNullableSchema(Type.String());

/** Flat, without sensitive data. */
const OwnContact = named(
  'ShopContact',
  Type.Object({
    contactNumber: Type.String(),
    kind: oneOf(['individual', 'structure']),
    title: text(),
    firstName: text(),
    lastName: text(),
    name: createNullableSchema(Type.String({ description: 'of a structure' })),
    email: text(),
    phone: text(),
    language: text(),
    street: text(),
    postalCode: text(),
    city: text(),
    country: text(),
    criteria: Type.Array(Type.String()),
    newsletter: Type.Boolean(),
    partners: Type.Boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
    erasedAt: createNullableSchema(timestamp),
  }),
);

const name = createLineSchema({ maxLength: 100 });

const Guest = named(
  'GuestContact',
  Type.Object({
    asOf: timestamp,
    firstName: Type.Optional(name),
    lastName: name,
    email: emailSchema,
    language: Type.Optional(languageTag),
  }),
);

const anyNumber = Type.String({ minLength: 1, maxLength: 64 });

const { contactNumber, createdAt, updatedAt } = example.individual;
const { address, authorizations, ...details } = example.individualDetails;

export function createInternalRoutes(contactsOf: ContactsOf): AnyOperation[] {
  return [
    operation({
      id: 'getContactInternally',
      method: 'get',
      path: '/internal/contacts/{contactNumber}',
      access: 'internal',
      summary: 'Returns whether a contact exists, its criteria, and when it was erased',
      params: { contactNumber: anyNumber },
      query: reach,
      answers: { 200: KnownContact },
      example: {
        params: { contactNumber },
        answer: { contactNumber, kind: 'individual', criteria: details.criteria, hasEmail: true, erasedAt: null },
      },
      handle: async ({ caller, params, query }) =>
        ok(toKnownContact(await contactsOf(toReader(caller, query)).getAny(params.contactNumber))),
    }),
    operation({
      id: 'findContacts',
      method: 'get',
      path: '/internal/contacts',
      access: 'internal',
      summary: 'Returns the numbers of contacts with an email, or whose last name or name begins so, oldest first',
      query: {
        email: Type.Optional(emailSchema),
        name: Type.Optional(
          createLineSchema({ maxLength: 200, description: 'the beginning, whatever case and accents' }),
        ),
        ...reach,
        among: Type.Optional(Type.String({ description: 'the only numbers that count, separated by commas' })),
      },
      answers: {
        200: Type.Object({
          contactNumbers: Type.Array(Type.String()),
          hasMore: Type.Boolean({ description: `there are more than ${MOST_FOUND}` }),
        }),
      },
      example: {
        query: { email: example.individualDetails.email },
        answer: { contactNumbers: [contactNumber], hasMore: false },
      },
      handle: async ({ caller, query: { email, name, among, ...within } }) => {
        const { documents } = contactsOf(toReader(caller, within));
        const isFound = name === undefined || computeNameKey(name) !== '';
        const where = {
          ...(email === undefined ? {} : { emailKey: computeEmailKey(email) }),
          ...(name === undefined ? {} : { nameKey: toPrefixRange(computeNameKey(name)) }),
          ...(among === undefined ? {} : { id: { in: among.split(',') } }),
        };
        const index = email === undefined ? 'name' : 'email';
        const page = { where, orderBy: 'createdAt', limit: MOST_FOUND + 1, index };
        const numbers = isFound ? (await documents.find(page)).map(({ id }) => id) : [];
        return ok({ contactNumbers: numbers.slice(0, MOST_FOUND), hasMore: numbers.length > MOST_FOUND });
      },
    }),
    operation({
      id: 'getShopContact',
      method: 'get',
      path: '/internal/shop/contacts/{contactNumber}',
      access: 'internal',
      summary: 'Returns a contact for its owner, without sensitive data',
      params: { contactNumber: anyNumber },
      answers: { 200: OwnContact },
      example: {
        params: { contactNumber },
        answer: {
          contactNumber,
          kind: 'individual',
          title: null,
          name: null,
          ...details,
          ...address,
          ...authorizations,
          createdAt,
          updatedAt,
          erasedAt: null,
        },
      },
      handle: async ({ caller, params }) => ok(toOwnContact(await contactsOf(caller).getAny(params.contactNumber))),
    }),
    operation({
      id: 'writeGuest',
      method: 'put',
      path: '/internal/shop/contacts/{contactNumber}',
      access: 'internal',
      summary:
        'Creates the contact of a buyer without a login, or updates it at a later checkout; duplicate emails are ' +
        'allowed',
      params: { contactNumber: Type.String({ pattern: CONTACT_NUMBER }) },
      body: Guest,
      answers: { 200: Type.Object({ contactNumber: Type.String() }) },
      example: {
        params: { contactNumber },
        body: { asOf: createdAt, firstName: 'Ana', lastName: 'Martin', email: 'ana.martin@example.org' },
        answer: { contactNumber },
      },
      handle: async ({ caller, params, body: { asOf, ...guest } }) => {
        await contactsOf(caller).writeGuest(requireContactNumber(params.contactNumber), guest, Date.parse(asOf));
        return ok({ contactNumber: params.contactNumber });
      },
    }),
    operation({
      id: 'forgetGuest',
      method: 'delete',
      path: '/internal/shop/contacts/{contactNumber}',
      access: 'internal',
      summary:
        'Erases the contact of a buyer without a login whom no order names any more, unless the institution has ' +
        'changed it; else no effect',
      params: { contactNumber: Type.String({ pattern: CONTACT_NUMBER }) },
      answers: { 200: Type.Object({ contactNumber: Type.String() }) },
      example: { params: { contactNumber }, answer: { contactNumber } },
      handle: async ({ caller, params }) => {
        await contactsOf(caller).forgetGuest(requireContactNumber(params.contactNumber));
        return ok({ contactNumber: params.contactNumber });
      },
    }),
  ];
}

const toKnownContact = ({ contactNumber, kind, details, erasedAt }: ContactDocument) => ({
  contactNumber,
  kind,
  criteria: details && 'criteria' in details ? [...(details.criteria ?? [])] : [],
  hasEmail: details?.email !== undefined,
  erasedAt: erasedAt ?? null,
});

/** The service reads within the reach of the client that it calls for. */
const toReader = (
  caller: Caller,
  { clientId, ownOrders = true, pointsOfSale }: { clientId?: string; ownOrders?: boolean; pointsOfSale?: string },
): Caller => {
  const bounds = { ownOrders, pointsOfSale: pointsOfSale?.split(',') ?? [] };
  return clientId === undefined ? caller : { ...caller, client: clientId, bounds };
};

const toOwnContact = (contact: ContactDocument): Static<typeof OwnContact> => {
  const { contactNumber, kind, details, createdAt, updatedAt, erasedAt = null } = contact;
  const individual = details && 'lastName' in details ? details : undefined;
  const structure = details && 'name' in details ? details : undefined;
  const { street, postalCode, city, country } = details?.address ?? {};
  return {
    contactNumber,
    kind,
    title: individual?.title ?? null,
    firstName: individual?.firstName ?? null,
    lastName: individual?.lastName ?? null,
    name: structure?.name ?? null,
    email: details?.email ?? null,
    phone: details?.phone ?? null,
    language: details?.language ?? null,
    street: street ?? null,
    postalCode: postalCode ?? null,
    city: city ?? null,
    country: country ?? null,
    criteria: [...(individual?.criteria ?? [])],
    newsletter: individual?.authorizations?.newsletter ?? false,
    partners: individual?.authorizations?.partners ?? false,
    createdAt,
    updatedAt,
    erasedAt,
  };
};

/** Orders makes the numbers of guests in this form. @throws Fault `not_found` */
const requireContactNumber = (text: string): string => {
  if (!isContactNumber(text)) throw new Fault('not_found', 'This is not a contact number.');
  return text;
};
