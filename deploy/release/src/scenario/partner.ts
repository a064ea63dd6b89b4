import { createClient, SCOPES } from '@boxoffice/authorizer';
import type { AnyOperation } from '@boxoffice/http';
import { DECISIONS_PATH, IDENTITY_HEADER, serviceAuthorization } from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';
import { type At, operationsOf } from '../compare/description.ts';
import { processes } from '../processes.ts';
import type { Scenario } from './open-scenario.ts';

/** A response and its JSON body, if any. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface Call {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A partner with every scope, as services receive its requests from the gateway. */
export interface Partner {
  readonly clientId: string;
  ask(path: string, call?: Call): Promise<Reply>;
  /** The `data` of a successful response. @throws {Error} with any other response */
  must(path: string, call?: Call): Promise<ReturnType<typeof JSON.parse>>;
  /** The `data` of one of the operations by which gateway and services authenticate. */
  internally(shape: AnyOperation): Promise<unknown>;
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

const send = async (url: string, { method = 'GET', body, headers = {} }: Call): Promise<Reply> => {
  const response = await fetch(url, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};

const succeeded = (path: string, { status, body }: Reply): ReturnType<typeof JSON.parse> => {
  if (status >= 300) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`);
  return body.data;
};

/**
 * Gets an access token; the partner's calls repeat the gateway's steps: a decision of the authorizer, then the service.
 */
export const partnerOf = async (
  { urls, serviceRootSecret }: Scenario,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<Partner> => {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const granted = await fetch(new URL('/auth/token', urls.authorizer), {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const authorization = serviceAuthorization('gateway', deriveServiceSecret(serviceRootSecret, 'gateway'));

  const ask = async (path: string, call: Call = {}): Promise<Reply> => {
    const { method = 'GET' } = call;
    const [plain = ''] = path.split('?');
    const route = routes.find((one) => one.method === method && one.matches.test(plain));
    if (!route) throw new Error(`nobody serves ${method} ${path}`);
    const { service, at } = route;
    const scope = (at.operation.security[0]?.oauth2 ?? []).join(' ');
    const question = { token, operation: at.operation.operationId, scope, audience: service };
    const decided = await send(new URL(DECISIONS_PATH, urls.authorizer).href, {
      method: 'POST',
      body: question,
      headers: { authorization },
    });
    const { identity } = succeeded(DECISIONS_PATH, decided);
    return send(new URL(path, urls[service]).href, {
      ...call,
      headers: { ...call.headers, [IDENTITY_HEADER]: identity },
    });
  };
  const internally = async ({ method, path, example }: AnyOperation): Promise<unknown> => {
    const body = example.body === undefined ? undefined : { ...(example.body as object), token };
    const call = { method: method.toUpperCase(), body, headers: { authorization } };
    return succeeded(path, await send(new URL(path, urls.authorizer).href, call));
  };
  return { clientId, ask, internally, must: async (path, call) => succeeded(path, await ask(path, call)) };
};

/** Registers a client with every scope and gets its token. */
export const newPartner = async (scenario: Scenario, institution: string): Promise<Partner> => {
  const store = scenario.stores.authorizer;
  if (!store) throw new Error('there is no authorizer');
  return partnerOf(scenario, await createClient(store, { institution, name: 'every scope', scopes: [...SCOPES] }));
};

/** A visitor of a point of sale. */
export interface Visitor {
  ask(path: string, call?: Call): Promise<Reply>;
  must(path: string, call?: Call): Promise<ReturnType<typeof JSON.parse>>;
}

/** Creates a visitor, which reuses the session of the point of sale. */
export const newVisitor = ({ urls }: Scenario, serviceHost: string): Visitor => {
  let session: Record<string, string> = {};
  const ask = async (path: string, call: Call = {}): Promise<Reply> => {
    const headers = { 'x-service-host': serviceHost, ...session, ...call.headers };
    const reply = await send(new URL(path, urls.pos).href, { ...call, headers });
    const token = reply.headers.get('x-auth-token');
    if (token !== null) session = { 'x-auth-token': token };
    return reply;
  };
  return { ask, must: async (path, call) => succeeded(path, await ask(path, call)) };
};
