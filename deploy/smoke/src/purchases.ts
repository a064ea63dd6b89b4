import { type Client, clientOf, type Door } from '@boxoffice/acceptance';

/** The members of demo.json that are read here. */
export interface Demo {
  readonly baseUrl: string;
  /** Path of the certificate that clients trust, inside the container. */
  readonly caFile: string;
  readonly clients: readonly { name: string; institution: string; clientId: string; clientSecret: string }[];
  readonly pointsOfSale: readonly { serviceHost: string; institution: string }[];
  readonly fixtures: Readonly<Record<string, Record<string, { productId: string; performanceId: string }>>>;
}

type Data = ReturnType<typeof JSON.parse>;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The `data` of a successful response. @throws {Error} on any other */
const got = async (client: Client, path: string, call?: Parameters<Client>[1]): Promise<Data> => {
  const reply = await client(path, call);
  if (reply.status >= 300) throw new Error(`${call?.method ?? 'GET'} ${path}: ${reply.status} ${reply.text}`);
  return reply.body.data;
};

/** The client with every scope, with a token. */
const authorised = async (door: Door, { clients }: Demo): Promise<Client> => {
  const full = clients.find(({ name, institution }) => name === 'full' && institution === 'opera');
  if (!full) throw new Error('demo.json has no client full of opera');
  const form = { grant_type: 'client_credentials', client_id: full.clientId, client_secret: full.clientSecret };
  const reply = await clientOf(door)('/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${reply.text}`);
  return clientOf(door, `Bearer ${reply.body.access_token}`);
};

const PATIENCE_MS = 30_000;

const settled = async (client: Client, order: string): Promise<Data> => {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await got(client, `/svc/v3/orders/${order}`);
    if (seen.cancellation?.settledAt) return seen.cancellation;
    if (Date.now() > until) throw new Error(`the cancellation of ${order} is not settled`);
    await pause(100);
  }
};

/**
 * An institution's client buys two places, pays, reads its tickets, and cancels until all is settled. Returns a
 * summary.
 */
export const purchaseA = async (door: Door, demo: Demo): Promise<string> => {
  const client = await authorised(door, demo);
  const performanceId = demo.fixtures.opera?.numbered?.performanceId;
  const { seatCategories, prices } = await got(client, `/svc/v3/catalog/performances/${performanceId}`);
  const item = { performanceId, seatCategoryId: seatCategories[0].id, tariffId: prices[0].tariffId, quantity: 2 };
  const order = await got(client, '/svc/v3/orders', { method: 'POST', body: { items: [item] } });
  const payment = { method: 'card', amount: order.due, status: 'captured' };
  await got(client, `/svc/v3/orders/${order.id}/payments`, { method: 'POST', body: payment });
  const bought = await got(client, `/svc/v3/orders/${order.id}`);
  if (bought.state !== 'confirmed') throw new Error(`the order is ${bought.state}`);
  await got(client, `/svc/v3/orders/${order.id}/cancellation`, { method: 'POST', body: { reason: 'smoke test' } });
  const { ticketsCancelled, placesReleased } = await settled(client, order.id);
  if (ticketsCancelled !== 2 || placesReleased !== 2) {
    throw new Error(`${ticketsCancelled} tickets cancelled and ${placesReleased} places released, not 2 and 2`);
  }
  return 'held 2, paid, confirmed; cancelled: 2 tickets, 2 places released';
};

/**
 * A visitor of the opera's point of sale buys two places as a guest, reads the barcodes, and cancels. Returns a
 * summary.
 */
export const purchaseB = async (door: Door, demo: Demo): Promise<string> => {
  const host = demo.pointsOfSale.find(({ institution }) => institution === 'opera')?.serviceHost;
  const anyone = clientOf(door);
  let session: string | undefined;
  const call = async (method: string, path: string, body?: object): Promise<Data> => {
    const headers = {
      'x-service-host': String(host),
      'content-type': 'application/json',
      ...(session === undefined ? {} : { 'x-auth-token': session }),
    };
    const reply = await anyone(`/tnwr/v1${path}`, { method, headers, body });
    session = (reply.headers['x-auth-token'] as string | undefined) ?? session;
    if (!reply.body?.success) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data;
  };
  /** A first read may be slow on a small machine; reads can be repeated. */
  const look = async (path: string): Promise<Data> => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const data = await call('GET', path).catch((error: Error) => error);
      if (!(data instanceof Error)) return data;
      if (Date.now() > until) throw data;
      await pause(500);
    }
  };
  const product = await look(`/products/${demo.fixtures.opera?.numbered?.productId}`);
  const [evening] = product.performances;
  const section = evening.seatCategories.find(({ free }: { free: number }) => free >= 2);
  const wish = { performanceId: evening.id, seatCategoryId: section.id, tariffId: section.prices[0].tariffId };
  await call('POST', '/shopping-cart/items', { ...wish, quantity: 2 });
  const contact = { firstName: 'Ana', lastName: 'Martin', email: 'ana.martin@example.org' };
  const order = await call('POST', '/orders', { contact, paymentMethod: 'simulated', paymentToken: 'ok' });
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { items } = await look(`/orders/${order.id}`);
    if (Object.values<Data>(items).every(({ barcode }) => Boolean(barcode))) break;
    if (Date.now() > until) throw new Error('no barcodes');
    await pause(200);
  }
  const { state } = await call('POST', `/orders/${order.id}/cancellation`);
  if (state !== 'cancelled') throw new Error(`the order is ${state} after its cancellation`);
  return 'cart of 2, checked out as a guest, 2 barcodes; cancelled';
};
