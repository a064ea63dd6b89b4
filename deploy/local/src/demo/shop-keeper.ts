import { DECISIONS_PATH, IDENTITY_HEADER, serviceAuthorization } from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';

/** An operation of a service, as the seeding calls it. */
export interface ServiceCall {
  /** Default: the catalog. */
  readonly service?: 'catalog' | 'contacts' | 'orders';
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

export interface Reply<Data> {
  readonly status: number;
  /** The envelope's status: `success` or a code of the registry. */
  readonly code: string;
  readonly data: Data;
}

/** Calls the services on behalf of a client. */
export type ShopKeeper = <Data>(call: ServiceCall) => Promise<Reply<Data>>;

export interface ShopKeeperOptions {
  readonly authorizerUrl: string;
  readonly catalogUrl: string;
  readonly contactsUrl: string;
  readonly ordersUrl: string;
  /** The root of the gateway's service secret: only the gateway may request decisions, as the seeding does. */
  readonly serviceRootSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Envelope {
  readonly status: string;
  readonly details: string | null;
  readonly data: unknown;
}

const read = async (response: Response): Promise<Envelope> => {
  const envelope = (await response.json()) as Envelope;
  if (response.status < 500 && response.status !== 401 && response.status !== 403) return envelope;
  throw new Error(`${new URL(response.url).pathname} answered ${response.status}: ${envelope.details}`);
};

/** The authorizer's identities are valid for a minute; they are renewed well before. */
const RENEWED_AFTER_MS = 30_000;

/**
 * Creates a caller of the services that repeats the gateway's steps, since the gateway opens only after the seeding: a
 * token of the client, the authorizer's decision on each operation, the signed identity. Rejects on responses outside
 * of success and business refusals.
 */
export const createShopKeeper = async (options: ShopKeeperOptions): Promise<ShopKeeper> => {
  const { authorizerUrl, serviceRootSecret, clientId, clientSecret } = options;
  const authorization = serviceAuthorization('gateway', deriveServiceSecret(serviceRootSecret, 'gateway'));
  const urls = { catalog: options.catalogUrl, contacts: options.contactsUrl, orders: options.ordersUrl };
  const identities = new Map<string, { readonly identity: Promise<string>; readonly at: number }>();

  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const issued = await fetch(new URL('/auth/token', authorizerUrl), {
    method: 'POST',
    body: new URLSearchParams(form),
  }).then(read);
  const { access_token: token } = issued.data as { readonly access_token: string };

  const decide = async (audience: string, operation: string, scope: string): Promise<string> => {
    const response = await fetch(new URL(DECISIONS_PATH, authorizerUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ token, operation, scope, audience }),
    });
    const { data } = await read(response);
    return (data as { readonly identity: string }).identity;
  };

  const identityFor = (audience: string, operation: string, scope: string): Promise<string> => {
    const known = identities.get(operation);
    if (known && Date.now() - known.at < RENEWED_AFTER_MS) return known.identity;
    const identity = decide(audience, operation, scope);
    identities.set(operation, { identity, at: Date.now() });
    return identity;
  };

  return async <Data>({ service = 'catalog', operation, method, path, body }: ServiceCall): Promise<Reply<Data>> => {
    const identity = await identityFor(service, operation, `${service}:${method === 'GET' ? 'read' : 'write'}`);
    const response = await fetch(new URL(path, urls[service]), {
      method,
      headers: { [IDENTITY_HEADER]: identity, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status: code, data } = await read(response);
    return { status: response.status, code, data: data as Data };
  };
};
