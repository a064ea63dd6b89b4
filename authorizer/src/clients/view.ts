import {
  createLineSchema,
  createNullableSchema,
  createView,
  institutionId,
  listReadOnlyMembers,
  named,
  oneOf,
  REDIRECT_URI_PATTERN,
  secureOrigin,
} from '@boxoffice/http';
import { type TString, Type } from 'typebox';
import { LONGEST_URI, MAX_URIS } from '../domain/client.ts';
import { SCOPE_PATTERN } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';
import { createServiceHostsSchema } from '../users/view.ts';

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 UTC' });

const Id = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });

const Name = createLineSchema({ maxLength: 100 });

const Scopes = Type.Array(Type.String({ pattern: SCOPE_PATTERN }), {
  uniqueItems: true,
  description: 'the most that its tokens may hold, of `scopes_supported` in the metadata of the authorization server',
});

const ClientType = oneOf(['confidential', 'public'], {
  description: 'whether it can keep a secret; an application in a browser or on a device is `public` and has none',
});

const createUrisSchema = (uri: TString, description: string) =>
  Type.Array(uri, {
    uniqueItems: true,
    maxItems: MAX_URIS,
    description,
  });

const BOUNDS =
  'what the client sees of its institution, and does; null: the institution’s data. It holds for the users who sign in ' +
  'at the client, too. With bounds its scopes are at most `catalog:read`, `contacts:*`, `contacts.sensitive:*`, ' +
  '`orders:*`, `orders.sensitive:*`, `payments:write`, `tickets:*` and `events:*`; it has at most 3 webhooks and ' +
  'changes no `criteria` of contacts';

const OWN_ORDERS =
  'only what this client made exists for it: its orders, their tickets, payments and refunds, and the contacts that it ' +
  'made or that its orders name, as long as one does. Anything else answers like an id that never existed';

const BOUNDS_POINTS_OF_SALE =
  'service hosts: the only points of sale that its orders may name, whose tariffs it sells and whose orders, tickets, ' +
  'payments and refunds it sees, and of contacts those that it made or that such an order names; empty: all';

const LIMITS = {
  onAccount: Type.Optional(Type.Boolean({ description: 'whether it confirms on account; false by default' })),
  reservationDays: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 3_650, description: 'how many days ahead it reserves at most; 14 by default' }),
  ),
  heldPlaces: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'how many unsold places it holds at once, with those of its users; 500 by default',
    }),
  ),
};

const BoundsInput = named(
  'ClientBoundsInput',
  Type.Object(
    {
      ownOrders: Type.Optional(Type.Boolean({ description: `${OWN_ORDERS}; false by default` })),
      pointsOfSale: Type.Optional(
        createServiceHostsSchema(
          `${BOUNDS_POINTS_OF_SALE} (the default). Each must exist in the institution; in lower case`,
        ),
      ),
      ...LIMITS,
    },
    { description: BOUNDS },
  ),
);

export const ClientBounds = named(
  'Bounds',
  Type.Object(
    {
      ownOrders: Type.Boolean({ description: OWN_ORDERS }),
      pointsOfSale: Type.Array(Type.String(), { description: BOUNDS_POINTS_OF_SALE }),
      ...LIMITS,
    },
    { description: BOUNDS },
  ),
);

export const boundsView = createView(createNullableSchema(ClientBounds));

const changeable = {
  name: Name,
  scopes: Scopes,
  redirectUris: Type.Optional(
    createUrisSchema(
      Type.String({ maxLength: LONGEST_URI, pattern: REDIRECT_URI_PATTERN }),
      'where users return to after signing in: https; http to `127.0.0.1`, `[::1]` or `localhost`, with any port; of a ' +
        'public client also a private-use scheme with a dot. No fragment, no userinfo. Compared to the letter',
    ),
  ),
  thirdParty: Type.Optional(
    Type.Boolean({ description: 'made by somebody else than the institution: users are asked for their consent' }),
  ),
  origins: Type.Optional(
    createUrisSchema(
      secureOrigin,
      'origins from which browsers call the interface, beside those of the redirect URIs: `https://www.example.org`; of ' +
        'an app in a web view its own, like `capacitor://localhost`',
    ),
  ),
  bounds: Type.Optional(createNullableSchema(BoundsInput)),
};

/** The members that a change may have: all but the type. */
export const ChangeableClient = Type.Object(changeable);

export const NewClient = named('ClientInput', Type.Object({ ...changeable, type: Type.Optional(ClientType) }));

const ClientSecret = named(
  'ClientSecret',
  Type.Object({
    id: Id,
    createdAt: Timestamp,
    lastUsedAt: createNullableSchema(
      Type.String({ format: 'date-time', description: 'to about five minutes; null if never used' }),
    ),
  }),
);

export const Client = named(
  'Client',
  Type.Object({
    clientId: Id,
    name: Name,
    institution: institutionId,
    type: ClientType,
    scopes: Scopes,
    redirectUris: Type.Array(Type.String(), { description: 'where users return to after signing in' }),
    thirdParty: Type.Boolean({ description: 'whether users are asked for their consent' }),
    origins: Type.Array(Type.String(), { description: 'from which browsers may call, beside the redirect URIs' }),
    bounds: createNullableSchema(ClientBounds),
    secrets: Type.Array(ClientSecret),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);

export const ClientWithNewSecret = named(
  'ClientWithNewSecret',
  Type.Object({
    ...Client.properties,
    clientSecret: createNullableSchema(
      Type.String({ description: 'shown this once; null when the answer is a replay' }),
    ),
  }),
);

export const CreatedClient = named(
  'CreatedClient',
  Type.Object({
    ...Client.properties,
    clientSecret: Type.Optional(
      createNullableSchema(
        Type.String({ description: 'of a confidential client; shown this once; null when the answer is a replay' }),
      ),
    ),
  }),
);

export const READ_ONLY = listReadOnlyMembers(Client, ChangeableClient, {
  secrets: ['createClientSecret', 'deleteClientSecret'],
});

const show = createView(Client);

export function toClientView(client: ClientDocument) {
  return show({ ...client, clientId: client.id });
}

export const example = {
  clientId: 'cli_q8Y2mXH0T3mV1n5b7c9d2Q',
  name: 'Box office till',
  institution: 'opera',
  type: 'confidential' as const,
  scopes: ['catalog:read', 'contacts:read', 'contacts:write'],
  redirectUris: ['https://till.example.org/callback'],
  thirdParty: false,
  origins: [],
  bounds: { ownOrders: true, pointsOfSale: [] },
  secrets: [{ id: 'sec_Jx0aP4hV7nB2mK9s', createdAt: '2026-03-01T09:30:00.000Z', lastUsedAt: null }],
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
};
