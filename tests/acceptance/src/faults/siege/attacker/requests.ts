import type { Call } from '@boxoffice/testkit';
import type { Random } from '../../round/random.ts';
import type { AttackPlan } from './attack-plan.ts';

/** One kind of hostile request. */
export interface HostileRequest {
  /** As the table names it. */
  readonly kind: string;
  make(random: Random): { readonly path: string; readonly call: Call };
}

const OVERSIZE_BYTES = 300 * 1_024;
/** Just below the limit of a body, 256 KiB. */
const BOMB_BYTES = 255 * 1_000;
const DEEP = 20_000;

/** A request whose body is sent as it is. */
const raw = (path: string, headers: Call['headers'], body: string): ReturnType<HostileRequest['make']> => ({
  path,
  call: { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
});
const bearer = (token: string): Call['headers'] => ({ authorization: `Bearer ${token}` });

/** The hostile requests that the threat model names (SECURITY.md), besides connections and slow senders. */
export const hostileRequests = (plan: AttackPlan): readonly HostileRequest[] => {
  const { serviceHost, item, clientId, orderId, tokens } = plan;
  const shop = { 'x-service-host': serviceHost };
  const oversize = `"${'x'.repeat(OVERSIZE_BYTES)}"`;
  const deep = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
  const placeIds = Array.from({ length: BOMB_BYTES / 5 }, () => '"?"  ')
    .join(',')
    .slice(0, BOMB_BYTES);
  const invalid = `[${placeIds.slice(0, placeIds.lastIndexOf(','))}]`;
  const bomb = `{"items":[${JSON.stringify(item).slice(0, -1)},"placeIds":${invalid}}]}`;
  const shopBomb = `${JSON.stringify(item).slice(0, -1)},"placeIds":${invalid}}`;
  const cart = '/tnwr/v1/shopping-cart/items';
  const order = `/svc/v3/orders/${orderId}`;
  const withToken = (kind: string, token: string): HostileRequest => ({
    kind,
    make: () => ({ path: order, call: { headers: bearer(token) } }),
  });
  return [
    {
      kind: 'wrong logins',
      make: (random) => ({
        path: '/tnwr/v1/sessions',
        call: {
          method: 'POST',
          headers: shop,
          body: { login: `nobody${random.between(0, 1e6)}@example.org`, password: `guess ${random.between(0, 1e9)}` },
        },
      }),
    },
    {
      kind: 'wrong client secrets',
      make: (random) => ({
        path: '/auth/token',
        call: {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: clientId,
            client_secret: `guess-${random.between(0, 1e9)}`,
          }),
        },
      }),
    },
    { kind: 'oversize bodies', make: () => raw(cart, shop, oversize) },
    { kind: 'deeply nested bodies', make: () => raw(cart, shop, deep) },
    { kind: 'validation bombs (point of sale)', make: () => raw(cart, shop, shopBomb) },
    {
      kind: 'validation bombs (orders)',
      make: () => raw('/svc/v3/orders', bearer(tokens.otherInstitution), bomb),
    },
    {
      kind: 'random paths',
      make: (random) => ({ path: `/${random.next().toString(36).slice(2)}/${random.next()}/%2e%2e//x`, call: {} }),
    },
    withToken('expired tokens', tokens.expired),
    withToken('tokens with a wrong signature', tokens.wrongSignature),
    withToken('tokens without a signature (alg none)', tokens.withoutSignature),
    withToken("another institution's token", tokens.otherInstitution),
    {
      kind: 'session floods',
      make: () => ({ path: cart, call: { method: 'POST', headers: shop, body: { ...item, quantity: 1 } } }),
    },
  ];
};
