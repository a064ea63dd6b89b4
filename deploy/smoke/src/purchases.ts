import {
  type Address,
  dataOf,
  type Json,
  openClient,
  openVisitor,
  type WaitOptions,
  waitUntil,
  withToken,
} from '@boxoffice/testkit';

/** The members of demo.json that are read here. */
export interface Demo {
  readonly baseUrl: string;
  /** Path of the certificate that clients trust, inside the container. */
  readonly caFile: string;
  readonly clients: readonly { name: string; institution: string; clientId: string; clientSecret: string }[];
  readonly pointsOfSale: readonly { serviceHost: string; institution: string }[];
  readonly fixtures: Readonly<Record<string, Record<string, { productId: string; performanceId: string }>>>;
}

const waiting = (what: string): WaitOptions => ({ what, withinMs: 30_000, everyMs: 200 });

/**
 * An institution's client buys two places, pays, reads its tickets, and cancels until all is settled. Returns a
 * summary.
 */
export const purchaseA = async (address: Address, demo: Demo): Promise<string> => {
  const full = demo.clients.find(({ name, institution }) => name === 'full' && institution === 'opera');
  if (!full) throw new Error('demo.json has no client full of opera');
  const client = withToken(openClient(address), full);
  const get = (path: string): Promise<Json> => dataOf(client, `/svc/v3${path}`);
  const post = (path: string, body: object): Promise<Json> =>
    dataOf(client, `/svc/v3${path}`, { method: 'POST', body });

  const performanceId = demo.fixtures.opera?.numbered?.performanceId;
  const { seatCategories, prices } = await get(`/catalog/performances/${performanceId}`);
  const item = { performanceId, seatCategoryId: seatCategories[0].id, tariffId: prices[0].tariffId, quantity: 2 };
  const { id, due } = await post('/orders', { items: [item] });
  await post(`/orders/${id}/payments`, { method: 'card', amount: due, status: 'captured' });
  const { state } = await get(`/orders/${id}`);
  if (state !== 'confirmed') throw new Error(`the order is ${state}`);
  await post(`/orders/${id}/cancellation`, { reason: 'smoke test' });
  const { ticketsCancelled, placesReleased } = await waitUntil(
    async () => {
      const { cancellation } = await get(`/orders/${id}`);
      return cancellation?.settledAt ? cancellation : undefined;
    },
    waiting(`the cancellation of ${id} to be settled`),
  );
  if (ticketsCancelled !== 2 || placesReleased !== 2)
    throw new Error(`${ticketsCancelled} tickets cancelled and ${placesReleased} places released, not 2 and 2`);
  return 'held 2, paid, confirmed; cancelled: 2 tickets, 2 places released';
};

/**
 * A visitor of the opera's point of sale buys two places as a guest, reads the barcodes, and cancels. Returns a
 * summary.
 */
export const purchaseB = async (address: Address, demo: Demo): Promise<string> => {
  const host = demo.pointsOfSale.find(({ institution }) => institution === 'opera')?.serviceHost;
  // A POST names its media type, also without a body.
  const headers = { 'content-type': 'application/json' };
  const visitor = openVisitor(openClient(address, { headers }), String(host));
  const post = (path: string, body?: object): Promise<Json> =>
    dataOf(visitor, `/tnwr/v1${path}`, { method: 'POST', body });
  /** Repeats a failed read: the first may be slow on a small machine. @throws {Error} of the last try */
  const get = async (path: string): Promise<Json> => {
    let failure: unknown;
    const read = () =>
      dataOf(visitor, `/tnwr/v1${path}`).catch((error: unknown) => {
        failure = error;
      });
    return waitUntil(read, waiting(path)).catch(() => Promise.reject(failure));
  };

  const product = await get(`/products/${demo.fixtures.opera?.numbered?.productId}`);
  const [evening] = product.performances;
  const section = evening.seatCategories.find(({ free }: { free: number }) => free >= 2);
  const item = { performanceId: evening.id, seatCategoryId: section.id, tariffId: section.prices[0].tariffId };
  await post('/shopping-cart/items', { ...item, quantity: 2 });
  const contact = { firstName: 'Ana', lastName: 'Martin', email: 'ana.martin@example.org' };
  const { id } = await post('/orders', { contact, paymentMethod: 'simulated', paymentToken: 'ok' });
  await waitUntil(
    async () => {
      const { items } = await get(`/orders/${id}`);
      return Object.values<Json>(items).every(({ barcode }) => Boolean(barcode));
    },
    waiting(`the barcodes of ${id}`),
  );
  const { state } = await post(`/orders/${id}/cancellation`);
  if (state !== 'cancelled') throw new Error(`the order is ${state} after its cancellation`);
  return 'cart of 2, checked out as a guest, 2 barcodes; cancelled';
};
