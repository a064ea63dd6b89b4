import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Bus, declared } from '@boxoffice/messaging';
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Partner } from '../../src/scenario/clients.ts';
import { createName, definitions, isSilent, openScenario, type Scenario } from '../../src/scenario/open-scenario.ts';
import { buildSeatItems, openHall, openInstitution, openShop } from '../../src/scenario/run-scenario.ts';

let scenario: Scenario;
let partner: Partner;
let losing = false;

/** A broker that confirms and then loses messages, as one restored empty does. */
const forgetful = (bus: Bus): Bus => ({
  ...bus,
  publish: async (message) => (losing ? undefined : bus.publish(message)),
});

beforeAll(async () => {
  scenario = await openScenario({ bus: forgetful });
  ({ partner } = await openInstitution(scenario));
});
afterAll(() => scenario?.close());

const post = (path: string, body: object = {}) => partner.must(path, { method: 'POST', body });

/** A performance of twelve places, with a point of sale at which carts expire at once. */
const newHall = async () => {
  const hall = await openHall(partner, createName('F').toUpperCase());
  return { ...hall, serviceHost: await openShop(partner, hall, 0.01) };
};
type Hall = Awaited<ReturnType<typeof newHall>>;

const orderOf = (id: string) => partner.must(`/svc/v3/orders/${id}`);
const ticketsOf = async (id: string) => (await partner.must(`/svc/v3/tickets?orderId=${id}`)).items;
const stockOf = async ({ performanceId }: Hall) =>
  (await partner.must(`/svc/v3/catalog/performances/${performanceId}/availability`)).seatCategories[0];

const newOrder = async (hall: Hall, more: object = {}) =>
  (await post('/svc/v3/orders', { ...buildSeatItems(hall, 2), ...more })).id as string;
const sold = async (hall: Hall): Promise<string> => {
  const id = await newOrder(hall);
  await post(`/svc/v3/orders/${id}/confirmation`, { onAccount: true });
  for (const ticket of await ticketsOf(id)) await post(`/svc/v3/tickets/${ticket.id}/printing`);
  return id;
};

const operator = async (...words: string[]) => {
  const main = new URL('../../../../deploy/operator/src/main.ts', import.meta.url).pathname;
  const env = { PATH: process.env.PATH, BOXOFFICE_DATA_DIR: scenario.directory };
  const child = spawn('node', ['--conditions=source', main, ...words, '--json'], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [status] = await once(child, 'close');
  return { status, err, rows: out ? (JSON.parse(out) as Record<string, unknown>[]) : [] };
};

const countOf = (rows: readonly Record<string, unknown>[], fact: string, as = 'republished') =>
  rows.find((row) => row.fact === fact)?.[as];

/** As a restore of tickets to a time before they were issued. */
const forgetTickets = async (orderId: string): Promise<void> => {
  const store = scenario.stores.tickets;
  for (const collection of definitions.tickets.collections.filter(({ name }) => /^ticket(s|_orders)$/.test(name))) {
    const documents = store?.collection(collection).acrossInstitutions;
    const found = await documents?.find({ where: { [collection.name === 'tickets' ? 'orderId' : 'id']: orderId } });
    for (const { id } of found ?? []) await documents?.delete(id);
  }
};

const isDrained = (): Promise<boolean> => isSilent(scenario);

describe('facts that a broker lost', () => {
  const ids: Record<string, string> = {};
  let hall: Hall;
  let other: Hall;
  const everything = async () => ({
    orders: await Promise.all(Object.values(ids).map(orderOf)),
    tickets: await Promise.all(Object.values(ids).map(ticketsOf)),
    stock: [await stockOf(hall), await stockOf(other)],
  });

  test('are republished by one command: orders settle, tickets are cancelled, places are released, missing tickets issued', async () => {
    hall = await newHall();
    other = await newHall();
    ids.cancelled = await sold(hall);
    ids.unpaid = await newOrder(hall);
    ids.replaced = await sold(hall);
    ids.expired = await newOrder(hall, { pointOfSale: hall.serviceHost });
    ids.off = await sold(other);
    const [first, second] = await ticketsOf(ids.replaced);
    await waitUntil(isDrained);
    ids.restored = await sold(hall);
    await waitUntil(isDrained);

    losing = true;
    await forgetTickets(ids.restored);
    await post(`/svc/v3/orders/${ids.cancelled}/cancellation`);
    await post(`/svc/v3/orders/${ids.unpaid}/cancellation`);
    const next = await post(`/svc/v3/tickets/${first.id}/replacement`);
    await post(`/svc/v3/tickets/${second.id}/control`);
    await partner.must(`/svc/v3/catalog/performances/${other.performanceId}`, {
      method: 'PATCH',
      body: { state: 'cancelled' },
    });
    await waitUntil(async () => (await orderOf(ids.expired ?? '')).state === 'expired');
    await waitUntil(isDrained);
    losing = false;
    expect((await orderOf(ids.cancelled)).cancellation.settledAt).toBeNull();
    expect((await orderOf(ids.off)).state).toBe('confirmed');
    expect((await ticketsOf(ids.cancelled)).map(({ status }: { status: string }) => status)).toEqual([
      'printed',
      'printed',
    ]);

    const dry = await operator('facts', 'republish', '--dry-run');
    expect([dry.status, countOf(dry.rows, 'order.cancelled', 'wouldRepublish')]).toEqual([0, 2]);
    expect(await isDrained()).toBe(true);
    const { status, rows } = await operator('facts', 'republish');
    expect(status).toBe(0);
    expect([countOf(rows, 'order.cancelled'), countOf(rows, 'order.expired')]).toEqual([2, 1]);
    await waitUntil(async () => (await ticketsOf(ids.restored ?? '')).length === 2);
    expect([countOf(rows, 'performance.cancelled'), countOf(rows, 'ticket.replaced')]).toEqual([1, 1]);
    await waitUntil(async () => {
      const orders = await Promise.all([ids.cancelled, ids.unpaid, ids.off].map((id = '') => orderOf(id)));
      return orders.every(({ cancellation }) => cancellation?.settledAt);
    });
    await waitUntil(isDrained);
    expect((await orderOf(ids.cancelled)).cancellation).toMatchObject({ ticketsCancelled: 2, placesReleased: 2 });
    expect((await orderOf(ids.unpaid)).cancellation).toMatchObject({ placesReleased: 2 });
    expect((await ticketsOf(ids.off)).map(({ status }: { status: string }) => status)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    const { lines } = await orderOf(ids.replaced);
    expect(lines.map(({ ticketId }: { ticketId: string }) => ticketId).toSorted()).toEqual(
      [next.id, second.id].toSorted(),
    );
    expect(await stockOf(hall)).toMatchObject({ free: 8, held: 0, sold: 4 });
    expect(await stockOf(other)).toMatchObject({ free: 12, held: 0, sold: 0 });
  });

  test('that are republished twice change nothing', async () => {
    const before = await everything();
    const { rows } = await operator('facts', 'republish');
    expect(countOf(rows, 'order.cancelled')).toBe(3);
    await waitUntil(isDrained);
    expect(await everything()).toEqual(before);
    expect(await scenario.deadLetters.list()).toEqual([]);
  });

  test('are chosen by service and time', async () => {
    const { rows } = await operator('facts', 'republish', '--service', 'tickets', '--dry-run');
    expect(new Set(rows.map(({ service }) => service))).toEqual(new Set(['tickets']));
    const later = new Date(Date.now() + 60_000).toISOString();
    const none = await operator('facts', 'republish', '--since', later, '--dry-run');
    expect(none.rows.map(({ wouldRepublish }) => wouldRepublish)).toEqual(none.rows.map(() => 0));
    expect((await operator('facts', 'republish', '--service', 'pos')).status).toBe(2);
    expect((await operator('facts', 'republish', '--since', 'monday')).status).toBe(2);
  });
});

test('every fact of a queue is republished by its publisher', () => {
  const republished = Object.values(definitions).flatMap((one) => one.currentFacts?.types ?? []);
  const ofPayments = ['order.confirmed', 'order.refund_requested'];
  const taken = new Set([...declared.queues.flatMap(({ types }) => types), ...ofPayments]);
  // What somebody asked for once is no state that could be told again.
  expect([...republished, 'order.mail_requested'].toSorted()).toEqual([...taken].toSorted());
});
