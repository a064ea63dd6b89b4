import { named, readOnlyOf } from '@boxoffice/http';
import { Type } from 'typebox';
import { SCOPES } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';

const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 UTC' });

const Id = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });

const Name = Type.String({ minLength: 1, maxLength: 100 });

const Scopes = Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...SCOPES] }), { uniqueItems: true });

/** The body of a creation. */
export const NewClient = named('NewClient', Type.Object({ name: Name, scopes: Scopes }));

const ClientSecret = named(
  'ClientSecret',
  Type.Object({
    id: Id,
    createdAt: Timestamp,
    lastUsedAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'to about five minutes; null if never used',
    }),
  }),
);

/** A client, as every operation returns it. */
export const Client = named(
  'Client',
  Type.Object({
    clientId: Id,
    name: Name,
    institution: Type.String(),
    scopes: Scopes,
    secrets: Type.Array(ClientSecret),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);

/** A client and its new secret. */
export const ClientWithNewSecret = named(
  'ClientWithNewSecret',
  Type.Object({
    ...Client.properties,
    clientSecret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'shown this once; null when the answer is a replay',
    }),
  }),
);

/** Read-only members, which a request may send back unchanged. */
export const READ_ONLY = readOnlyOf(Client, NewClient, { secrets: ['createClientSecret', 'deleteClientSecret'] });

/** The public view of a client, without its secrets' hashes. */
export const view = ({ id, name, institution, scopes, secrets, createdAt, updatedAt }: ClientDocument) => ({
  clientId: id,
  name,
  institution,
  scopes: [...scopes],
  secrets: secrets.map((secret) => ({ id: secret.id, createdAt: secret.createdAt, lastUsedAt: secret.lastUsedAt })),
  createdAt,
  updatedAt,
});

/** The client of the examples. */
export const example = {
  clientId: 'cli_q8Y2mXH0T3mV1n5b7c9d2Q',
  name: 'Box office till',
  institution: 'opera',
  scopes: ['catalog:read', 'contacts:read', 'contacts:write'],
  secrets: [{ id: 'sec_Jx0aP4hV7nB2mK9s', createdAt: '2026-03-01T09:30:00.000Z', lastUsedAt: null }],
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
};
