import { type AnyOperation, named, operation, timestamp } from '@boxoffice/http';
import { DECISIONS_PATH, IDENTITIES_PATH, REVOCATIONS_PATH } from '@boxoffice/identity';
import { Type } from 'typebox';

const text = Type.String();
const Decision = named('Decision', Type.Object({ identity: text, expiresAt: timestamp }));
const decision = {
  identity: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImlkZW50aXR5K2p3dCJ9.e30.c2ln',
  expiresAt: '2027-03-14T19:03:11.000Z',
};

/**
 * The internal operations as described: instances of two releases understand each other by this. The route table does
 * not serve them, because their callers cannot have an identity yet.
 */
export const internalShapes: readonly AnyOperation[] = [
  operation({
    id: 'decide',
    method: 'post',
    path: DECISIONS_PATH,
    access: 'internal',
    summary: 'Decides whether the bearer of a token may call an operation, for the gateway',
    body: Type.Object({ token: text, operation: text, scope: text, audience: text }),
    answers: { 200: Decision },
    example: {
      body: {
        token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln',
        operation: 'getOrder',
        scope: 'orders:read',
        audience: 'orders',
      },
      answer: decision,
    },
  }),
  operation({
    id: 'identifyService',
    method: 'post',
    path: IDENTITIES_PATH,
    access: 'internal',
    summary: 'Gives a service an identity for one operation of another',
    body: Type.Object({ audience: text, institution: text, operation: text }),
    answers: { 200: Decision },
    example: { body: { audience: 'catalog', institution: '', operation: 'findPointOfSale' }, answer: decision },
  }),
  operation({
    id: 'listRevocations',
    method: 'get',
    path: REVOCATIONS_PATH,
    access: 'internal',
    summary: 'Lists revoked tokens and changed clients, for the gateway',
    query: { since: Type.Optional(timestamp) },
    answers: {
      200: Type.Object({
        tokens: Type.Array(Type.Object({ jti: text, expiresAt: timestamp })),
        clients: Type.Array(Type.Object({ clientId: text, changedAt: timestamp })),
        asOf: timestamp,
      }),
    },
    example: {
      answer: {
        tokens: [
          { jti: 'sec_Jx0aP4hV7nB2mK9s.f3c1a2b4-5d6e-4f70-8192-a3b4c5d6e7f8', expiresAt: '2027-03-14T19:15:00.000Z' },
        ],
        clients: [{ clientId: 'cli_3q2-7wAAAAAAAAAAAAAAAA', changedAt: '2027-03-14T19:02:11.000Z' }],
        asOf: '2027-03-14T19:02:12.000Z',
      },
    },
  }),
];
