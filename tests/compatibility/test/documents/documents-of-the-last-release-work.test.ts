import { createInternalRoutes } from '@boxoffice/authorizer';
import { placeholder } from '@boxoffice/contracts';
import { createCheck } from '@boxoffice/http';
import type { Collection, Document, New, Store } from '@boxoffice/store';
import { readCode, sendForm, waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Recording, readRecording, type Stored } from '../../src/documents.ts';
import {
  createPartner,
  createRequest,
  createVisitor,
  openBrowser,
  type Partner,
  parseLeftSecrets,
  requestTokens,
} from '../../src/scenario/clients.ts';
import { definitions, openScenario, type Scenario } from '../../src/scenario/open-scenario.ts';
import { PASSWORD, STAFF_PASSWORD } from '../../src/scenario/run-scenario.ts';

const YEAR_MS = 366 * 86_400_000;

/** The same documents with times shifted to a later recording. */
const later = (value: unknown, by: number, writtenAt: number): unknown => {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value))
    return new Date(Date.parse(value) + by).toISOString();
  if (typeof value === 'number') return Math.abs(value - writtenAt) < YEAR_MS ? value + by : value;
  if (Array.isArray(value)) return value.map((one) => later(one, by, writtenAt));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, later(one, by, writtenAt)]));
};

const restore = async (store: Store, collection: Collection<Document>, documents: readonly Stored[]): Promise<void> => {
  // Unvalidated, as stored: the code that reads it is under test.
  const { upgrade: _upgrade, ...plain } = collection;
  const handle = store.collection(plain);
  const put = async ({ version, institution, ...document }: Stored): Promise<void> => {
    const mine = handle.of(institution);
    await mine.insert(document as New<Document>);
    for (let at = 1; at < Number(version); at += 1) await mine.update(document.id, (current) => ({ next: current }));
  };
  await Promise.all(documents.map(put));
};

/** Longer than the wait for a pending step, after which its process counts as dead. */
const AGE_MS = 30_000;

/** Returns the function that fills empty stores with the recorded documents, shifted to half a minute ago. */
const restoring =
  ({ stored, writtenAt }: Recording) =>
  async (stores: Readonly<Record<string, Store>>): Promise<void> => {
    const by = Date.now() - AGE_MS - writtenAt;
    for (const { name, collections } of Object.values(definitions)) {
      for (const collection of collections) {
        const documents = stored[name]?.[collection.name] ?? [];
        const store = stores[name];
        if (store)
          await restore(
            store,
            collection,
            documents.map((one) => later(one, by, writtenAt) as Stored),
          );
      }
    }
  };

type Json = ReturnType<typeof JSON.parse>;

const post = (body: object = {}) => ({ method: 'POST', body });

/** Whether something is due of an order whose process died. */
const isInterrupted = ({ saleDue, removedPlaces }: Json): boolean => saleDue != null || removedPlaces != null;

// An installation on current code starts with the documents of the last releases.
describe('documents of the last releases', () => {
  const recording = readRecording();
  const { stored } = recording;
  const all = (service: string, collection: string): Json[] => [...(stored[service]?.[collection] ?? [])];
  const [{ id: institution }] = all('catalog', 'institutions');
  let scenario: Scenario;
  let partner: Partner;

  beforeAll(async () => {
    scenario = await openScenario({ fill: restoring(recording) });
    partner = await createPartner(scenario, institution);
  });
  afterAll(() => scenario.close());

  const order = (holds: (one: Json) => boolean): Json => {
    const found = all('orders', 'orders').find((one) => one.listedAt !== null && !isInterrupted(one) && holds(one));
    if (!found) throw new Error('there is no such order');
    return found;
  };
  const read = (id: string) => partner.must(`/svc/v3/orders/${id}`);
  const act = (id: string, action: string, body: object) => partner.must(`/svc/v3/orders/${id}/${action}`, post(body));
  const issued = async (id: string) => {
    const { lines } = await read(id);
    for (const { ticketId } of lines)
      await waitUntil(async () => (await partner.ask(`/svc/v3/tickets/${ticketId}`)).status === 200);
    return lines;
  };
  test('orders are listed, and each can be read', async () => {
    const listed = all('orders', 'orders').filter((one) => one.listedAt !== null && one.institution === institution);
    const { items } = await partner.must('/svc/v3/orders?limit=500');
    expect(items.map(({ id }: Json) => id).toSorted()).toEqual(listed.map(({ id }) => id).toSorted());
    for (const { id, state } of listed.filter((one) => !isInterrupted(one)))
      expect(await read(id)).toMatchObject({ id, state });
  });

  test.each(['payments', 'refunds'])('their %s are in the list over all orders', async (records) => {
    const known = all('orders', 'orders').filter((one) => one.listedAt !== null && one.institution === institution);
    const ids = known.flatMap((one) => one[records].map(({ id }: Json) => id));
    const { items } = await partner.must(`/svc/v3/${records}?limit=500`);
    expect(items.map(({ id }: Json) => id)).toEqual(expect.arrayContaining(ids));
    expect(ids).not.toEqual([]);
  });

  test('what was due of an order whose process died is done', async () => {
    const left = all('orders', 'orders').filter(isInterrupted);
    expect(left).not.toEqual([]);
    for (const { id, payments } of left.filter((one) => one.payments.length > 0)) {
      await waitUntil(async () => (await read(id)).state === 'confirmed');
      expect(await read(id)).toMatchObject({ paid: payments[0].amount, due: 0 });
    }
    for (const { performanceId, removedPlaces } of left.filter((one) => one.removedPlaces)) {
      const isFree = async (placeId: string): Promise<boolean> => {
        const { items } = await partner.must(`/svc/v3/catalog/performances/${performanceId}/places?limit=500`);
        return items.some(({ id, state }: Json) => id === placeId && state === 'free');
      };
      for (const placeId of removedPlaces.placeIds) await waitUntil(() => isFree(placeId));
    }
  });

  test('every ticket can be read, and a printed one replaced', async () => {
    const tickets = all('tickets', 'tickets').filter((one) => one.institution === institution);
    for (const { id } of tickets) expect(await partner.must(`/svc/v3/tickets/${id}`)).toMatchObject({ id });
    const printed = tickets.find(({ status }) => status === 'printed' || status === 'not_printed');
    await partner.ask(`/svc/v3/tickets/${printed.id}/printing`, post());
    const replaced = await partner.must(`/svc/v3/tickets/${printed.id}/replacement`, post({ reason: 'lost' }));
    expect(replaced).toMatchObject({ orderId: printed.orderId });
  });

  test('an order with a code keeps its price, and its use is free once it is cancelled; what is sold counts', async () => {
    const { id } = order(({ state, codes }) => state === 'open' && codes);
    const discount = all('catalog', 'price_rules').find(({ rule }) => rule.kind === 'discount');
    const readUsage = async () => (await partner.must(`/svc/v3/catalog/discounts/${discount.id}`)).usage;
    const { lines, total } = await read(id);
    expect(lines).toMatchObject([{ base: 4_500, components: [{ amount: -450 }, { amount: 200 }], amount: 4_250 }]);
    expect(total).toBe(4_250);
    expect(await readUsage()).toEqual({ held: 1, used: 1, free: 3 });
    await act(id, 'cancellation', { reason: 'later' });
    await waitUntil(async () => (await readUsage()).held === 0);
    expect(await readUsage()).toEqual({ held: 0, used: 1, free: 4 });
  });

  test('an open order is paid and gets its tickets', async () => {
    const { id } = order(({ state, codes }) => state === 'open' && !codes);
    const { total } = await read(id);
    await act(id, 'payments', { method: 'card', amount: total, status: 'captured' });
    expect(await read(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'paid' });
    expect(await issued(id)).not.toEqual([]);
  });

  test('a pending payment is captured', async () => {
    const { id, payments } = order(({ state }) => state === 'payment_pending');
    const path = `/svc/v3/orders/${id}/payments/${payments[0].id}`;
    await partner.must(path, { method: 'PATCH', body: { status: 'captured' } });
    expect(await read(id)).toMatchObject({ state: 'confirmed' });
  });

  test('a reserved order is confirmed', async () => {
    const { id } = order(({ state }) => state === 'reserved');
    expect(await act(id, 'confirmation', { onAccount: true })).toMatchObject({ state: 'confirmed' });
    await issued(id);
  });

  test('a sold order is cancelled, with its tickets and places', async () => {
    const controlled = new Set(
      all('tickets', 'tickets')
        .filter(({ status }) => status === 'controlled')
        .map(({ id }) => id),
    );
    const sold = ({ state, lines }: Json) =>
      state === 'confirmed' && lines.every(({ ticketId }: Json) => !controlled.has(ticketId));
    const { id, lines, performanceId } = order(sold);
    const free = async () => {
      const { seatCategories } = await partner.must(`/svc/v3/catalog/performances/${performanceId}/availability`);
      return seatCategories.reduce((sum: number, one: Json) => sum + Number(one.free), 0);
    };
    const before = await free();
    await act(id, 'cancellation', { reason: 'later' });
    await waitUntil(async () => typeof (await read(id)).cancellation.settledAt === 'string');
    const { cancellation } = await read(id);
    expect(cancellation).toMatchObject({ ticketsCancelled: lines.length, controlled: 0, placesReleased: lines.length });
    expect(await free()).toBe(before + lines.length);
  });

  test('what is left of a payment by a provider is refunded there', async () => {
    const { id, payments, refunds } = order((one) => one.payments[0]?.provider === 'stripe');
    const amount = payments[0].amount - refunds[0].amount;
    await act(id, 'refunds', { provider: 'stripe', amount });
    await waitUntil(async () => {
      const { items } = await partner.must(`/svc/v3/orders/${id}/refunds`);
      return items.every(({ state }: Json) => state === 'done');
    });
    expect(await read(id)).toMatchObject({ refunded: payments[0].amount });
  });

  test('the control of a ticket is reverted, and its order records it', async () => {
    const ticket = all('tickets', 'tickets').find(({ status }) => status === 'controlled');
    const reverted = await partner.must(`/svc/v3/tickets/${ticket.id}/control`, { method: 'DELETE' });
    expect(reverted.status).not.toBe('controlled');
    await waitUntil(async () => {
      const reply = await partner.ask(`/svc/v3/orders/${ticket.orderId}/cancellation`, post({ reason: 'later' }));
      return reply.status === 200;
    });
  });

  test('contacts are read and changed, the erased one stays erased', async () => {
    const contacts = all('contacts', 'contacts');
    for (const { id, kind, erasedAt } of contacts) {
      const path = `/svc/v3/contacts/${kind}s/${id}`;
      const { status, body } = await partner.ask(path);
      expect([id, status, body.data?.contactNumber]).toEqual([id, 200, id]);
      if (erasedAt) continue;
      const changed = await partner.must(path, { method: 'PATCH', body: { language: 'de' } });
      expect(changed.language).toBe('de');
    }
    expect(contacts.some(({ erasedAt }) => erasedAt)).toBe(true);
  });

  test('the published catalog is readable and can be changed', async () => {
    const { products } = await partner.must('/svc/v3/catalog');
    const published = all('catalog', 'products').filter((one) => one.institution === institution);
    expect(products.length).toBe(published.length);
    for (const { id } of published) {
      const patch = { method: 'PATCH', body: { name: { en: 'Another name' } } };
      expect(await partner.must(`/svc/v3/catalog/products/${id}`, patch)).toMatchObject({
        name: { en: 'Another name' },
      });
    }
  });

  test('a user logs in and finds the own orders and tickets', async () => {
    const [{ serviceHost, login }] = all('pos', 'users');
    const visitor = createVisitor(scenario, serviceHost);
    await visitor.must('/tnwr/v1/sessions', post({ login, password: PASSWORD }));
    expect(Object.keys(await visitor.must('/tnwr/v1/orders'))).not.toEqual([]);
    expect(Object.keys(await visitor.must('/tnwr/v1/tickets'))).not.toEqual([]);
  });

  test('keys still sign, clients are known, and internal answers fit their description', async () => {
    const keys = (await (await fetch(new URL('/auth/jwks', scenario.urls.authorizer))).json()) as Json;
    expect(keys.keys.map(({ kid }: Json) => kid)).toEqual(
      expect.arrayContaining(all('authorizer', 'signing_keys').map(({ kid }) => kid)),
    );
    const { items } = await partner.must('/svc/v3/clients');
    const known = all('authorizer', 'clients').filter(
      (one) => one.deletedAt === null && one.institution === institution,
    );
    expect(items.map(({ clientId }: Json) => clientId)).toEqual(expect.arrayContaining(known.map(({ id }) => id)));
    const [{ hash: keyHash }] = all('authorizer', 'api_keys');
    for (const shape of createInternalRoutes(placeholder as never)) {
      const data = await partner.internally(shape, { keyHash });
      expect(() => createCheck(shape.answers[200] as never)(data)).not.toThrow();
    }
  });

  test('a user stays signed in, with the consent and the refresh token of before', async () => {
    const client = all('authorizer', 'clients').find(parseLeftSecrets);
    const { session, refreshToken } = parseLeftSecrets(client) ?? { session: '', refreshToken: '' };
    const refresh = (token: string) =>
      requestTokens(scenario, { grant_type: 'refresh_token', client_id: client.id, refresh_token: token });
    const { status, body } = await refresh(refreshToken);
    expect([status, body.scope]).toEqual([200, 'openid offline_access orders:read']);
    const { path, createExchange } = createRequest(client.id);
    const code = readCode(await openBrowser(scenario, session).browser(path));
    expect((await requestTokens(scenario, createExchange(code))).status).toBe(200);
    // Used, and its successor too: whoever shows it now has copied it.
    await refresh(body.refresh_token);
    expect((await refresh(refreshToken)).body.error).toBe('invalid_grant');
  });

  test('a user signs in with the password of before', async () => {
    const client = all('authorizer', 'clients').find(parseLeftSecrets);
    const user = all('authorizer', 'users').find(({ state }) => state === 'active');
    const { browser } = openBrowser(scenario);
    const page = await browser(createRequest(client.id).path);
    const signedIn = await sendForm(browser, page, { login: user.login, password: STAFF_PASSWORD });
    // The user has agreed before.
    expect(readCode(signedIn)).toEqual(expect.any(String));
  });

  test('no fact became a dead letter', async () => {
    expect(await scenario.deadLetters.list()).toEqual([]);
  });
});
