import { Agent } from 'node:http';
import { createClient, SCOPES } from '@boxoffice/authorizer';
import { type At, operationsOf } from '@boxoffice/codegen';
import { processes } from '@boxoffice/contracts';
import type { AnyOperation } from '@boxoffice/http';
import { DECISIONS_PATH, IDENTITY_HEADER, serviceAuthorization } from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';
import {
  authorizationOf,
  type Call,
  type Client,
  type Credentials,
  dataOf,
  type Json,
  openVisitor,
  type Reply,
  send,
} from '@boxoffice/testkit';
import type { Scenario } from './open-scenario.ts';

/** A partner with every scope, as services receive its requests from the gateway. */
export interface Partner {
  readonly clientId: string;
  ask: Client;
  /** The `data` of a successful response. @throws {Error} with any other response */
  must(path: string, call?: Call): Promise<Json>;
  /**
   * The `data` of one of the operations by which gateway and services authenticate: of its example, with these members
   * of the body in place of the example's.
   */
  internally(shape: AnyOperation, members?: object): Promise<unknown>;
}

interface Route {
  readonly service: string;
  readonly method: string;
  readonly matches: RegExp;
  readonly at: At;
}

const literal = (path: string): string => path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');

/** Concrete paths precede templates that also match them. */
const routes: readonly Route[] = processes
  .flatMap((process) => [...operationsOf(process.openapi()).values()].map((at) => ({ service: process.name, at })))
  .map(({ service, at }) => {
    const [method = '', path = ''] = at.name.split(' ');
    const pattern = literal(path).replaceAll(/\{[^}]*\}/g, '[^/]+');
    return { service, method, matches: new RegExp(`^${pattern}$`), at };
  })
  .toSorted((one, other) => one.at.name.split('{').length - other.at.name.split('{').length);

const connections = new Agent({ keepAlive: true });

/** A client of one service; each call goes to the next of its instances. */
const clientOf =
  ({ urls }: Scenario, service: string): Client =>
  (path, call) =>
    send(new URL(path, urls[service]), call, { agent: connections });

/**
 * Gets an access token; the partner's calls repeat the gateway's steps: a decision of the authorizer, then the service.
 */
const partnerOf = async (scenario: Scenario, credentials: Credentials): Promise<Partner> => {
  const authorizer = clientOf(scenario, 'authorizer');
  const token = (await authorizationOf(authorizer, credentials)).replace('Bearer ', '');
  const as = (service: string): string =>
    serviceAuthorization(service, deriveServiceSecret(scenario.serviceRootSecret, service));
  const authorization = as('gateway');

  const ask = async (path: string, call: Call = {}): Promise<Reply> => {
    const { method = 'GET' } = call;
    const [plain = ''] = path.split('?');
    const route = routes.find((one) => one.method === method && one.matches.test(plain));
    if (!route) throw new Error(`no service serves ${method} ${path}`);
    const { service, at } = route;
    const scope = (at.operation.security[0]?.oauth2 ?? []).join(' ');
    const question = { token, operation: at.operation.operationId, scope, audience: service };
    const decision = { method: 'POST', body: question, headers: { authorization } };
    const { identity } = await dataOf(authorizer, DECISIONS_PATH, decision);
    return clientOf(scenario, service)(path, { ...call, headers: { ...call.headers, [IDENTITY_HEADER]: identity } });
  };
  const internally = async ({ id, method, path, example }: AnyOperation, members = {}): Promise<unknown> => {
    const caller = id === 'getClientScopes' ? 'events' : 'gateway';
    const known: Readonly<Record<string, unknown>> = { token, ...members };
    const body =
      example.body &&
      Object.fromEntries(Object.entries(example.body).map(([name, value]) => [name, known[name] ?? value]));
    return dataOf(authorizer, path, { method: method.toUpperCase(), body, headers: { authorization: as(caller) } });
  };
  return { clientId: credentials.clientId, ask, internally, must: (path, call) => dataOf(ask, path, call) };
};

/** Registers a client with every scope and gets its token. */
export const newPartner = async (scenario: Scenario, institution: string): Promise<Partner> => {
  const store = scenario.stores.authorizer;
  if (!store) throw new Error('there is no authorizer');
  return partnerOf(scenario, await createClient(store, { institution, name: 'every scope', scopes: [...SCOPES] }));
};

/** A visitor of a point of sale. */
export type Visitor = Pick<Partner, 'ask' | 'must'>;

/** Creates a visitor, which reuses the session of the point of sale. */
export const newVisitor = (scenario: Scenario, serviceHost: string): Visitor => {
  const ask = openVisitor(clientOf(scenario, 'pos'), serviceHost);
  return { ask, must: (path, call) => dataOf(ask, path, call) };
};
