import { DECISIONS_PATH, formatServiceAuthorization, IDENTITY_HEADER } from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';

/** The operations that the seeding calls: service, method, path, and the scope where it does not follow from these. */
const OPERATIONS = {
  listTariffs: ['catalog', 'GET', '/svc/v3/catalog/tariffs'],
  createTariff: ['catalog', 'POST', '/svc/v3/catalog/tariffs'],
  listTaxes: ['catalog', 'GET', '/svc/v3/catalog/taxes'],
  createTax: ['catalog', 'POST', '/svc/v3/catalog/taxes'],
  listFees: ['catalog', 'GET', '/svc/v3/catalog/fees'],
  createFee: ['catalog', 'POST', '/svc/v3/catalog/fees'],
  listDiscounts: ['catalog', 'GET', '/svc/v3/catalog/discounts'],
  createDiscount: ['catalog', 'POST', '/svc/v3/catalog/discounts'],
  listDiscountCodes: ['catalog', 'GET', '/svc/v3/catalog/discounts/{id}/codes', 'catalog.sensitive:read'],
  createDiscountCodes: ['catalog', 'POST', '/svc/v3/catalog/discounts/{id}/codes', 'catalog.sensitive:write'],
  listProducts: ['catalog', 'GET', '/svc/v3/catalog/products'],
  createProduct: ['catalog', 'POST', '/svc/v3/catalog/products'],
  listPointsOfSale: ['catalog', 'GET', '/svc/v3/catalog/points-of-sale'],
  createPointOfSale: ['catalog', 'POST', '/svc/v3/catalog/points-of-sale'],
  listAllPerformances: ['catalog', 'GET', '/svc/v3/catalog/performances'],
  getPerformance: ['catalog', 'GET', '/svc/v3/catalog/performances/{id}'],
  getAvailability: ['catalog', 'GET', '/svc/v3/catalog/performances/{id}/availability'],
  listPlaces: ['catalog', 'GET', '/svc/v3/catalog/performances/{id}/places'],
  listIndividuals: ['contacts', 'GET', '/svc/v3/contacts/individuals'],
  createIndividual: ['contacts', 'POST', '/svc/v3/contacts/individuals'],
  listOrders: ['orders', 'GET', '/svc/v3/orders'],
  createOrder: ['orders', 'POST', '/svc/v3/orders'],
  confirmOrder: ['orders', 'POST', '/svc/v3/orders/{id}/confirmation'],
  setPaymentProvider: ['payments', 'PUT', '/svc/v3/payment-providers/{id}', 'payments.sensitive:write'],
} as const satisfies Readonly<Record<string, readonly [string, string, string, string?]>>;

export type OperationName = keyof typeof OPERATIONS;

interface ServiceCall {
  /** Of what the path names. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The key under which a repeated call makes nothing twice. */
  readonly idempotencyKey?: string;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
}

/** A list of what a seeding makes: it has one page. */
export async function listAll<Item>(
  keeper: ShopKeeper,
  operation: OperationName,
  call: Pick<ServiceCall, 'id'> = {},
): Promise<readonly Item[]> {
  return (await keeper<ListPage<Item>>(operation, { ...call, query: { limit: '500' } })).items;
}

export class RefusedCall extends Error {
  /** Whether the service could not answer just now, such as without its store: the same call may succeed later. */
  readonly passes: boolean;
  readonly httpStatus: number;

  constructor(message: string, httpStatus: number) {
    super(message);
    this.httpStatus = httpStatus;
    this.passes = httpStatus === 503;
  }
}

/** The data of a success. @throws {RefusedCall} of any other answer */
export type ShopKeeper = <Data>(operation: OperationName, call?: ServiceCall) => Promise<Data>;

export interface ShopKeeperOptions {
  /** Without an address of payments nothing of it may be called. */
  readonly urls: Readonly<Record<'authorizer' | 'catalog' | 'contacts' | 'orders', string>> & {
    readonly payments?: string | undefined;
  };
  /** The root of the gateway's service secret: only the gateway may request decisions, as the seeding does. */
  readonly serviceRootSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The authorizer's identities are valid for a minute; they are renewed well before. */
const RENEWED_AFTER_MS = 30_000;

/** Repeats the gateway's steps, since that opens after the seeding: a client's token, decisions, signed identities. */
export async function createShopKeeper(options: ShopKeeperOptions): Promise<ShopKeeper> {
  const { urls, serviceRootSecret, clientId, clientSecret } = options;
  const authorization = formatServiceAuthorization('gateway', deriveServiceSecret(serviceRootSecret, 'gateway'));
  const identities = new Map<string, { readonly identity: Promise<string>; readonly at: number }>();

  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { access_token: token } = await fetch(new URL('/auth/token', urls.authorizer), {
    method: 'POST',
    body: new URLSearchParams(form),
  }).then(read<{ readonly access_token: string }>);

  const decide = async (audience: string, operation: string, scope: string): Promise<string> => {
    const { identity } = await fetch(new URL(DECISIONS_PATH, urls.authorizer), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ token, operation, scope, audience }),
    }).then(read<{ readonly identity: string }>);
    return identity;
  };

  const identityFor = (audience: string, operation: string, scope: string): Promise<string> => {
    const known = identities.get(operation);
    if (known && Date.now() - known.at < RENEWED_AFTER_MS) return known.identity;
    const identity = decide(audience, operation, scope);
    identities.set(operation, { identity, at: Date.now() });
    return identity;
  };

  return async <Data>(operation: OperationName, call: ServiceCall = {}): Promise<Data> => {
    const { id = '', query, body, idempotencyKey } = call;
    const [service, method, path, scope] = OPERATIONS[operation];
    const usual = `${service}:${method === 'GET' ? 'read' : 'write'}`;
    const identity = await identityFor(service, operation, scope ?? usual);
    const search = new URLSearchParams(query).toString();
    return fetch(new URL(`${path.replace('{id}', id)}${search && `?${search}`}`, urls[service]), {
      method,
      headers: {
        [IDENTITY_HEADER]: identity,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then(read<Data>);
  };
}

const read = async <Data>(response: Response): Promise<Data> => {
  const { status, details, data } = (await response.json()) as { status: string; details: string | null; data: Data };
  if (response.ok) return data;
  const { pathname } = new URL(response.url);
  throw new RefusedCall(`${pathname} answered ${response.status} ${status}: ${details}`, response.status);
};
