import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { useFixture } from '@boxoffice/service/testkit';
import { waitUntil } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { startWatchedProduct } from './installation.ts';

/**
 * Store calls in a window without requests: of the scrape that ends it, which counts; of orders, which asks what is
 * due; of the changes that the authorizer reads for the gateway, more after a start; and of everything else together.
 */
const MOST_IDLE = { scrape: 20, orders: 4, changes: 8, others: 19 };
const PARTS: readonly [keyof typeof MOST_IDLE, RegExp][] = [
  // Of payments also the oldest payment and the oldest refund that are pending.
  ['scrape', /operation="(?:count|listDue)"|collection="api_key_uses"|service="payments".*operation="find"/],
  ['orders', /service="orders"/],
  ['changes', /service="authorizer",collection="(?:clients|revocations)"/],
  ['others', /./],
];
const WINDOW_MS = 6_000;
/** Windows until what follows a start has ended; a retention's turn spoils one in twelve. */
const WINDOWS = 20;

const watched = useFixture(() => startWatchedProduct({}));

const countCalls = async (): Promise<Map<string, number>> => {
  const found = (await watched.metrics()).matchAll(/^store_operation_duration_seconds_count\{(.*)\} (\S+)$/gm);
  return new Map([...found].map(([, labels = '', count]) => [labels, Number(count)]));
};

test('without requests the stores are called a counted number of times', async () => {
  let listed: readonly (readonly [string, number])[] = [];
  const callsOf = (part: keyof typeof MOST_IDLE) =>
    listed
      .filter(([labels]) => PARTS.find(([, pattern]) => pattern.test(labels))?.[0] === part)
      .reduce((sum, [, count]) => sum + count, 0);
  const isMore = () => PARTS.some(([part]) => callsOf(part) > MOST_IDLE[part]);
  for (let nth = 0; nth === 0 || (nth < WINDOWS && isMore()); nth += 1) {
    const before = await countCalls();
    // The window itself: nothing is waited for.
    await pause(WINDOW_MS);
    const after = await countCalls();
    listed = [...after].map(([labels, count]) => [labels, count - (before.get(labels) ?? 0)] as const);
  }
  const calls = listed.filter(([, count]) => count > 0).map(([labels, count]) => `${count} ${labels}`);
  expect(isMore() ? calls : []).toEqual([]);
  // Counting works: orders asks what is due.
  expect(callsOf('orders')).toBeGreaterThan(0);
}, 180_000);

/**
 * What the purchase of a place of general admission by card may cost, with keys. A few reads of sweeps fall into the
 * window. `gathered`: writes of events and of the outbox, which take what comes together, so their number follows the
 * speed of the machine.
 */
interface Cost {
  readonly operations: number;
  readonly writes: number;
  readonly gathered: number;
  readonly requests: number;
}

const PURCHASES = 20;
const READS = ['get', 'find', 'count'];
const GATHERED = /collection="events"|operation="done"/;
/** What sweeps, relays and refreshed lists do on their own. */
const BACKGROUND = [
  /service="authorizer"/,
  /collection="leases"/,
  // Each scrape, and the webhooks of an institution once for the events that are appended together.
  /collection="(?:webhooks|waiting_facts)",operation="(?:find|count)"/,
  /operation="pending"/,
  // Looking for work that is due, and each scrape for the oldest. Making it due, or doing it, would count.
  /collection="waiting"/,
  /operation="(?:claimDue|listDue)"/,
  /collection="mails",operation="find"/,
  /service="orders",collection="orders",operation="(?:find|count)"/,
  // Each scrape, for what is pending; a purchase through a partner reads nothing of payments.
  /service="payments",collection="(?:payments|refunds)",operation="(?:find|count)"/,
  // Once: the catalog is told of the demo's keys.
  /collection="payment_providers"/,
  /service="tickets",collection="(?:barcode_keys|replacements|ticket_orders)",operation="(?:find|get)"/,
];

/** What is counted of a metric, by its labels. */
const countsOf = async (metric: string): Promise<Map<string, number>> => {
  const found = (await watched.metrics()).matchAll(new RegExp(`^${metric}_count\\{(.*)\\} (\\S+)$`, 'gm'));
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of found)
    if (!BACKGROUND.some((each) => each.test(labels))) counts.set(labels, Number(count));
  return counts;
};

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);

/** The operations of the stores so far, once no more are added. */
const operations = async (): Promise<Map<string, number>> => {
  let last = await countsOf('store_operation_duration_seconds');
  const isQuiet = async (): Promise<boolean> => {
    const before = sum(last);
    last = await countsOf('store_operation_duration_seconds');
    return sum(last) === before;
  };
  await waitUntil(isQuiet, { what: 'stores without work', withinMs: 120_000, everyMs: 1_000 });
  return last;
};

const call = async (method: string, path: string, body: object) => {
  const headers = { 'idempotency-key': randomUUID() };
  const reply = await watched.partner(`/svc/v3${path}`, { method, body, headers });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body.data;
};

/** Puts a performance with unnumbered places on sale; returns what an order asks for. */
const putOnSale = async (code: string): Promise<object> => {
  const name = { de: 'Das Finale', en: 'The final', fr: 'La finale' };
  const tariff = await call('POST', '/catalog/tariffs', { code, name });
  const product = await call('POST', '/catalog/products', { code, type: 'show', name, state: 'running' });
  const performance = await call('POST', `/catalog/products/${product.id}/performances`, {
    startDate: '2035-06-01T18:00:00Z',
    venue: { name: 'Arena' },
    timeZone: 'Europe/Zurich',
    seatCategories: [{ code: 'floor', name, numbered: false, capacity: 100 }],
    prices: [{ seatCategory: 'floor', tariffId: tariff.id, amount: 5_000 }],
    returnPolicy: { returnMinutes: 60, returnFee: null, exchangeMinutes: 60, exchangeFee: null },
  });
  const [{ id: seatCategoryId }] = performance.seatCategories;
  return { performanceId: performance.id, seatCategoryId, tariffId: tariff.id, quantity: 1 };
};

type Buy = (item: object, code: string) => Promise<void>;

const buyInTwoCalls: Buy = async (item) => {
  const order = await call('POST', '/orders', { items: [item] });
  await call('POST', `/orders/${order.id}/payments`, { method: 'card', amount: order.due, status: 'captured' });
};

const buyInOneCall: Buy = async (item) => {
  await call('POST', '/orders', { items: [item], payment: { method: 'card', amount: 5_000 } });
};

/** Only the code has a limit; one of its discount takes one look and one write more. */
const makeCode = async (code: string): Promise<void> => {
  const effect = { percent: '90' };
  const name = { de: 'Neu', en: 'New', fr: 'Neuf' };
  const { id } = await call('POST', '/catalog/discounts', { name, trigger: 'code', effect });
  await call('POST', `/catalog/discounts/${id}/codes`, { codes: [{ code, maxUses: 2 * PURCHASES }] });
};

const buyWithCode: Buy = async (item, code) => {
  await call('POST', '/orders', { items: [item], codes: [code], payment: { method: 'card', amount: 500 } });
};

/** What a step costs beyond what the stores do on their own; it runs often, since sweeps fall into the window. */
const expectCost = async (step: () => Promise<void>, most: Cost): Promise<void> => {
  // A process that has just started is slow, and gathers less.
  for (let nth = 0; nth < PURCHASES; nth += 1) await step();
  const before = [await operations(), await countsOf('http_server_request_duration_seconds')] as const;
  for (let nth = 0; nth < PURCHASES; nth += 1) await step();
  const after = [await operations(), await countsOf('http_server_request_duration_seconds')] as const;
  const [stored, served] = [0, 1].map((which) =>
    [...(after[which] ?? [])].map(([labels, count]): [string, number] => [
      labels,
      (count - (before[which]?.get(labels) ?? 0)) / PURCHASES,
    ]),
  ) as [[string, number][], [string, number][]];
  const isWrite = ([labels]: [string, number]) => !READS.some((read) => labels.includes(`operation="${read}"`));
  const isGathered = ([labels]: [string, number]) => GATHERED.test(labels);
  const own = stored.filter((one) => !isGathered(one));
  const isOfPurchase = ([labels]: [string, number]) =>
    !/operation="(?:getKeys|decide|describe|recordPaymentProvider)"/.test(labels);
  const cost = {
    operations: sum(new Map(own)),
    writes: sum(new Map(own.filter(isWrite))),
    gathered: sum(new Map(stored.filter(isGathered))),
    requests: sum(new Map(served.filter(isOfPurchase))),
  };
  const listed = [...stored, ...served].filter(([, count]) => count > 0).map(([labels, count]) => `${count} ${labels}`);
  for (const name of ['operations', 'writes', 'gathered', 'requests'] as const)
    if (cost[name] > most[name]) throw new Error(`${cost[name]} ${name}, at most ${most[name]}:\n${listed.join('\n')}`);
  // Nothing is counted twice or not at all: there is work of each service that sells.
  for (const service of ['catalog', 'orders', 'tickets', 'events'])
    expect(listed).toContainEqual(expect.stringContaining(`service="${service}"`));
};

test.each<[string, Buy, Cost]>([
  ['two calls', buyInTwoCalls, { operations: 14, writes: 7.5, gathered: 8, requests: 7 }],
  ['one call', buyInOneCall, { operations: 10, writes: 6.5, gathered: 8, requests: 5 }],
  ['one call, with a limited code', buyWithCode, { operations: 13, writes: 7.5, gathered: 8, requests: 6 }],
])('a purchase in %s costs a counted number of store operations, writes and requests', async (name, buy, most) => {
  const item = await putOnSale(name);
  const code = `NEW-${Date.now()}`;
  await makeCode(code);
  await expectCost(() => buy(item, code), most);
});

/** Lines to change one after the other, as many in each order. */
const buyLines = async (item: object, quantity = 2 * PURCHASES) => {
  const bought: { readonly path: string; readonly lineId: string }[] = [];
  const payment = { method: 'card', amount: quantity * 5_000 };
  while (bought.length < 2 * PURCHASES) {
    const { id, lines } = await call('POST', '/orders', { items: [{ ...item, quantity }], payment });
    bought.push(...lines.map((line: { id: string }) => ({ path: `/orders/${id}/changes`, lineId: line.id })));
  }
  return bought;
};

test('a return costs a counted number of store operations', async () => {
  const bought = await buyLines(await putOnSale('returns'));
  const step = async () => {
    const { path, lineId } = bought.pop() ?? {};
    await call('POST', `${path}`, { returns: [{ lineId }], difference: -5_000 });
  };
  await expectCost(step, { operations: 7.9, writes: 5.5, gathered: 10, requests: 5 });
});

test.each([
  ['an evening that the order has', 2 * PURCHASES, 14.9, 10.5],
  // The order is linked to it, before its places are held.
  ['one that is new to it', 1, 15.9, 11.5],
])('an exchange to %s costs a counted number of store operations', async (name, quantity, most, writes) => {
  const bought = await buyLines(await putOnSale(`before ${name}`), quantity);
  const { quantity: _, ...other } = (await putOnSale(name)) as { readonly quantity: number };
  const step = async () => {
    const { path, lineId } = bought.pop() ?? {};
    await call('POST', `${path}`, { exchanges: [{ lineId, ...other }], difference: 0 });
  };
  await expectCost(step, { operations: most, writes, gathered: 12, requests: 7 });
});
