import { createClient } from '@boxoffice/client';
import { createPosClient } from '@boxoffice/client/pos';
import { type Address, fetchOf, type WaitOptions, waitUntil } from '@boxoffice/testkit';

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

const numberedShow = ({ fixtures }: Demo): { readonly productId: string; readonly performanceId: string } => {
  const found = fixtures.opera?.numbered;
  if (!found) throw new Error('demo.json has no numbered show of opera');
  return found;
};

/**
 * An institution's client buys two places, pays, reads its tickets, and cancels until all is settled. Returns a
 * summary.
 */
export const purchaseA = async (address: Address, demo: Demo): Promise<string> => {
  const full = demo.clients.find(({ name, institution }) => name === 'full' && institution === 'opera');
  if (!full) throw new Error('demo.json has no client full of opera');
  const { clientId, clientSecret } = full;
  const client = createClient({ baseUrl: address.baseUrl, fetch: fetchOf(address), clientId, clientSecret });

  const { performanceId } = numberedShow(demo);
  const { prices } = await client.getPerformance({ path: { performanceId } });
  const [price] = prices;
  if (!price) throw new Error(`${performanceId} has no price`);
  const { seatCategoryId, tariffId } = price;
  const order = await client.createOrder({
    body: { items: [{ performanceId, seatCategoryId, tariffId, quantity: 2 }] },
  });
  const path = { orderId: order.id };
  await client.addPayment({ path, body: { method: 'card', amount: order.due, status: 'captured' } });
  const { state } = await client.getOrder({ path });
  if (state !== 'confirmed') throw new Error(`the order is ${state}`);
  await client.cancelOrder({ path, body: { reason: 'smoke test' } });
  const { ticketsCancelled, placesReleased } = await waitUntil(
    async () => {
      const { cancellation } = await client.getOrder({ path });
      return cancellation?.settledAt ? cancellation : undefined;
    },
    waiting(`the cancellation of ${order.id} to be settled`),
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
  const pointOfSale = demo.pointsOfSale.find(({ institution }) => institution === 'opera');
  if (!pointOfSale) throw new Error('demo.json has no point of sale of opera');
  const { serviceHost } = pointOfSale;
  const visitor = createPosClient({ baseUrl: address.baseUrl, fetch: fetchOf(address), serviceHost });

  const { performances } = await visitor.viewProduct({ path: { id: numberedShow(demo).productId } });
  const [evening] = performances;
  const section = evening?.seatCategories.find(({ free }) => free >= 2);
  const price = section?.prices[0];
  if (!evening || !section || !price) throw new Error('two places of the numbered show are not on sale');
  await visitor.addToCart({
    body: { performanceId: evening.id, seatCategoryId: section.id, tariffId: price.tariffId, quantity: 2 },
  });
  const contact = { firstName: 'Ana', lastName: 'Martin', email: 'ana.martin@example.org' };
  const { id } = await visitor.checkOut({ body: { contact, paymentMethod: 'simulated', paymentToken: 'ok' } });
  await waitUntil(
    async () => {
      const { items } = await visitor.getOwnOrder({ path: { id } });
      return Object.values(items).every(({ barcode }) => Boolean(barcode));
    },
    waiting(`the barcodes of ${id}`),
  );
  const { state } = await visitor.cancelOwnOrder({ path: { id }, body: {} });
  if (state !== 'cancelled') throw new Error(`the order is ${state} after its cancellation`);
  return 'cart of 2, checked out as a guest, 2 barcodes; cancelled';
};

/** Reads pages of the documentation: two guides, the reference, and every file that it loads. Returns a summary. */
export const readDocumentation = async (address: Address): Promise<string> => {
  const fetch = fetchOf(address);
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${address.baseUrl}${path}`);
    if (response.status !== 200) throw new Error(`${path} is answered ${response.status}`);
    return response.text();
  };
  await read('/docs/errors');
  await read('/docs/client');
  const files = [...(await read('/docs')).matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  for (const file of files) await read(file);
  if (files.length === 0) throw new Error('the reference loads no files');
  return `two guides, and the reference with ${files.length} files`;
};
