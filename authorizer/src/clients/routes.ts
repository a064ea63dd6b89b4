import { Fault } from '@boxoffice/envelope';
import {
  type AnyOperation,
  created,
  createInsufficientScopeFault,
  createPageSchema,
  createPatchSchema,
  named,
  ok,
  operation,
  type PatchOf,
  pageQuery,
  pathId,
  readPage,
} from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import type { Static } from 'typebox';
import type { Authorizer } from '../authorizer.ts';
import type { Amendment } from '../domain/client.ts';
import { findMissingScopes } from '../domain/scopes.ts';
import type { ClientDocument } from '../store.ts';
import { checkUris } from './uris.ts';
import {
  ChangeableClient,
  Client,
  ClientWithNewSecret,
  CreatedClient,
  example,
  NewClient,
  READ_ONLY,
  toClientView,
} from './view.ts';

const CLIENTS = '/svc/v3/clients';
const CLIENT = `${CLIENTS}/{clientId}`;

const secretExample = { ...example, clientSecret: 'R2xvYmFsbHkgdW5pcXVlLCBub3QgYSByZWFsIHNlY3JldCE' };

export function createClientRoutes({
  clients,
  knownScopes,
}: Pick<Authorizer, 'clients' | 'knownScopes'>): AnyOperation[] {
  return [
    operation({
      id: 'listClients',
      method: 'get',
      path: CLIENTS,
      access: 'clients:read',
      summary: 'Lists the clients of the institution',
      description: 'With the ids and dates of their secrets, never the secrets.',
      query: pageQuery,
      answers: { 200: createPageSchema(Client) },
      example: { answer: { items: [example], nextCursor: null } },
      handle: (request) =>
        readPage(request, clients.documents(request.caller.institution), {
          where: { deletedAt: null },
          item: toClientView,
        }),
    }),
    operation({
      id: 'createClient',
      method: 'post',
      path: CLIENTS,
      access: 'clients:write',
      summary: 'Registers a client and answers its first secret, this once',
      description:
        'A public client, such as an application in a browser, has no secret. `bounds` make a client of a partner, such as a ' +
        'reseller, see and sell only its own; it has the scopes of `bounds` at most.',
      body: NewClient,
      answers: { 201: CreatedClient },
      errors: ['semantically_invalid'],
      etag: true,
      example: {
        body: {
          name: example.name,
          scopes: example.scopes,
          redirectUris: example.redirectUris,
          bounds: { ownOrders: true },
        },
        answer: secretExample,
      },
      handle: async ({ caller, body, remember }) => {
        mustExist(caller, body.scopes, knownScopes());
        mustHold(caller, body.scopes, 'The new client would get');
        checkUris(body, body.type ?? 'confidential');
        const withSecret = (client: ClientDocument, clientSecret: string | null | undefined) =>
          created(
            { ...toClientView(client), ...(client.type === 'public' ? {} : { clientSecret: clientSecret ?? null }) },
            location(client),
            { etag: etag(client) },
          );
        const replay = remember((client: ClientDocument) => withSecret(client, null));
        const { client, clientSecret } = await clients.create(caller.institution, body, replay);
        return withSecret(client, clientSecret);
      },
    }),
    operation({
      id: 'getClient',
      method: 'get',
      path: CLIENT,
      access: 'clients:read',
      summary: 'Gives a client',
      description: 'With the ids and dates of its secrets, never the secrets.',
      params: { clientId: pathId },
      answers: { 200: Client },
      etag: true,
      example: { params: { clientId: example.clientId }, answer: example },
      handle: async ({ caller, params }) => answerClient(await clients.get(caller.institution, params.clientId)),
    }),
    operation({
      id: 'updateClient',
      method: 'patch',
      path: CLIENT,
      access: 'clients:write',
      summary: 'Changes a client: all but its type',
      description:
        'New tokens carry the new scopes; tokens issued before lose the removed ones within five seconds, in which new ' +
        'bounds count as well, for all tokens.',
      params: { clientId: pathId },
      body: named('ClientChanges', createPatchSchema(ChangeableClient)),
      readOnly: READ_ONLY,
      answers: { 200: Client },
      conditional: true,
      etag: true,
      example: {
        params: { clientId: example.clientId },
        body: { scopes: example.scopes, bounds: { ownOrders: true } },
        answer: example,
      },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        mustExist(caller, body.scopes ?? [], knownScopes());
        mustHold(caller, body.scopes ?? [], 'The client would get');
        const mayChange = createGuard(caller, ifMatch);
        const to = toAmendment(body);
        const allow = (current: ClientDocument): void => {
          mayChange(current);
          requireUnchanged(toClientView(current));
          checkUris(body, current.type);
        };
        const request = { allow, idempotencyRecord: remember(answerClient) };
        return answerClient(await clients.amend(caller.institution, params.clientId, to, request));
      },
    }),
    operation({
      id: 'deleteClient',
      method: 'delete',
      path: CLIENT,
      access: 'clients:write',
      summary: 'Deletes a client; its tokens are refused within five seconds',
      description: 'It cannot be undone; what the client has made stays.',
      params: { clientId: pathId },
      answers: { 200: Client },
      conditional: true,
      example: { params: { clientId: example.clientId }, answer: { ...example, scopes: [], secrets: [] } },
      handle: async ({ caller, params, ifMatch }) =>
        ok(
          toClientView(
            await clients.remove(caller.institution, params.clientId, { allow: createGuard(caller, ifMatch) }),
          ),
        ),
    }),
    operation({
      id: 'createClientSecret',
      method: 'post',
      path: `${CLIENT}/secrets`,
      access: 'clients.sensitive:write',
      summary: 'Makes a second secret, for rotation, and answers it this once',
      description: 'A public client has no secrets: 409 `conflict`.',
      params: { clientId: pathId },
      answers: { 201: ClientWithNewSecret },
      errors: ['client_too_many_secrets', 'conflict'],
      conditional: true,
      etag: true,
      example: { params: { clientId: example.clientId }, answer: secretExample },
      handle: async ({ caller, params, ifMatch, remember }) => {
        const withoutSecret = (client: ClientDocument) =>
          created({ ...toClientView(client), clientSecret: null }, location(client), { etag: etag(client) });
        const request = { allow: createGuard(caller, ifMatch), idempotencyRecord: remember(withoutSecret) };
        const { client, clientSecret } = await clients.addSecret(caller.institution, params.clientId, request);
        return created({ ...toClientView(client), clientSecret }, location(client), { etag: etag(client) });
      },
    }),
    operation({
      id: 'deleteClientSecret',
      method: 'delete',
      path: `${CLIENT}/secrets/{secretId}`,
      access: 'clients.sensitive:write',
      summary: 'Withdraws a secret; it, and the tokens that it obtained, are refused within five seconds',
      description:
        'The same holds for tokens of users who signed in, and for refresh tokens that were obtained with it: refresh ' +
        'them with the new secret before.',
      params: { clientId: pathId, secretId: pathId },
      answers: { 200: Client },
      errors: ['client_last_secret'],
      conditional: true,
      etag: true,
      example: { params: { clientId: example.clientId, secretId: 'sec_Jx0aP4hV7nB2mK9s' }, answer: example },
      handle: async ({ caller, params, ifMatch }) => {
        const { institution } = caller;
        const request = { allow: createGuard(caller, ifMatch) };
        return answerClient(await clients.removeSecret(institution, params.clientId, params.secretId, request));
      },
    }),
  ];
}

/** One that the caller holds may be of a service that is gone. @throws {Fault} validation_error, naming every other */
const mustExist = (caller: Caller, scopes: readonly string[], known: readonly string[]): void => {
  const all = [...known, ...caller.scopes];
  const problems = scopes.flatMap((scope, index) => (all.includes(scope) ? [] : [`$.scopes[${index}]`]));
  if (problems.length === 0) return;
  throw new Fault('validation_error', `${problems.join(', ')} must be one of ${known.join(', ')}.`);
};

/** A caller cannot grant scopes that it does not hold, nor act on a client with scopes that it does not hold. */
const mustHold = (caller: Caller, scopes: readonly string[], what: string): void => {
  const missing = findMissingScopes(scopes, caller.scopes);
  if (missing.length > 0) {
    throw createInsufficientScopeFault(`${what} scopes that the caller's token lacks: ${missing.join(', ')}.`, missing);
  }
};

const location = ({ id }: ClientDocument): string => `${CLIENTS}/${id}`;

const etag = ({ revision }: ClientDocument): string => String(revision);

const answerClient = (client: ClientDocument) => ok(toClientView(client), { etag: etag(client) });

/** The check of a change: the client holds no scope that the caller lacks, and If-Match matches. */
const createGuard =
  (caller: Caller, ifMatch: (etag: string) => void) =>
  (current: ClientDocument): void => {
    mustHold(caller, current.scopes, 'The client holds');
    ifMatch(etag(current));
  };

type Changes = PatchOf<Static<typeof ChangeableClient>>;

/** The change that a merge patch asks for: null restores the default (RFC 7396). */
const toAmendment = ({ redirectUris, thirdParty, origins, ...others }: Changes): Amendment => ({
  ...others,
  ...(redirectUris !== undefined && { redirectUris: redirectUris ?? [] }),
  ...(thirdParty !== undefined && { thirdParty: thirdParty ?? false }),
  ...(origins !== undefined && { origins: origins ?? [] }),
});
