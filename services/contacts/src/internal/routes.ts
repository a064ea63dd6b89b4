import { type AnyOperation, named, nullable, ok, oneOf, operation, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import type { ContactsOf } from '../contacts/contacts.ts';
import * as example from '../contacts/examples.ts';
import type { ContactDocument } from '../store.ts';

/** What other services get of a contact: no name, no address. */
const KnownContact = named(
  'KnownContact',
  Type.Object({
    contactNumber: Type.String(),
    kind: oneOf(['individual', 'structure']),
    criteria: Type.Array(Type.String(), { description: 'what entitles to tariffs and payment methods' }),
    erasedAt: nullable(timestamp),
  }),
);

const known = ({ contactNumber, kind, details, erasedAt }: ContactDocument) => ({
  contactNumber,
  kind,
  criteria: details && 'criteria' in details ? [...(details.criteria ?? [])] : [],
  erasedAt: erasedAt ?? null,
});

const OWN_ORDERS = { ownOrders: true, pointsOfSale: [] };

/** For other services: whether a contact exists, its criteria and its erasure. */
export const internalRoutes = (contactsOf: ContactsOf): AnyOperation[] => [
  operation({
    id: 'getContactInternally',
    method: 'get',
    path: '/internal/contacts/{contactNumber}',
    access: 'internal',
    summary: 'Returns whether a contact exists, its criteria, and when it was erased',
    params: { contactNumber: Type.String({ minLength: 1, maxLength: 64 }) },
    query: {
      clientId: Type.Optional(
        Type.String({ minLength: 1, description: 'a client with ownOrders: contacts out of its reach are unknown' }),
      ),
    },
    answers: { 200: KnownContact },
    example: {
      params: { contactNumber: example.individual.contactNumber },
      answer: {
        contactNumber: example.individual.contactNumber,
        kind: 'individual',
        criteria: example.individual.criteria,
        erasedAt: null,
      },
    },
    handle: async ({ caller, params, query: { clientId } }) => {
      const reader = clientId === undefined ? caller : { ...caller, client: clientId, bounds: OWN_ORDERS };
      return ok(known(await contactsOf(reader).getAny(caller.institution, params.contactNumber)));
    },
  }),
];
