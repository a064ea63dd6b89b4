import { createRecordUsage } from '@boxoffice/authorizer';
import { createInstitution } from '@boxoffice/catalog';
import { createUser } from '@boxoffice/pos';
import type { Store } from '@boxoffice/store';
import { openClient, requestAuthorization, waitUntil } from '@boxoffice/testkit';
import { createPartner, createVisitor, type Partner, payOnPage, signIn } from './clients.ts';
import { createName, type Scenario } from './open-scenario.ts';

export type Hall = Awaited<ReturnType<typeof openHall>>;

const DAY = 86_400_000;

export async function openHall(partner: Partner, code: string) {
  const tariff = await partner.must(
    '/svc/v3/catalog/tariffs',
    post({ code: `${code}-FULL`, name: { en: 'Full price' } }),
  );
  const show = { code, type: 'show', name: { en: code }, state: 'running', performances: [performance(tariff.id)] };
  const { performances } = await partner.must('/svc/v3/catalog/products', post(show));
  const [{ id, seatCategories }] = performances;
  return { performanceId: id, numbered: seatCategories[0].id, free: seatCategories[1].id, tariffId: tariff.id };
}

const post = (body: object = {}) => ({ method: 'POST', body });

const performance = (tariffId: string) => ({
  startDate: inDays(30),
  durationMinutes: 165,
  venue: { name: 'Grand Théâtre', city: 'Genève' },
  timeZone: 'Europe/Zurich',
  seatCategories: [
    { code: 'STALLS', name: { en: 'Stalls' }, numbered: true, capacity: 12, rows: [{ row: 'A', seats: 12 }] },
    { code: 'STANDING', name: { en: 'Standing' }, numbered: false, capacity: 3 },
  ],
  prices: ['STALLS', 'STANDING'].map((seatCategory) => ({ seatCategory, tariffId, amount: 4_500 })),
  seatMap: {
    stage: { x: 0, y: 0, width: 100 },
    areas: [
      {
        id: 'stalls',
        name: { en: 'Stalls' },
        seatCategory: 'STALLS',
        outline: 'M0 10H100V30H0Z',
        rows: [{ row: 'A', from: { x: 5, y: 20 }, to: { x: 95, y: 20 }, curve: 3 }],
      },
    ],
  },
});

const inDays = (days: number): string => new Date(Date.now() + days * DAY).toISOString();

export function buildSeatItems({ performanceId, numbered, tariffId }: Hall, quantity = 1) {
  return {
    items: [{ performanceId, seatCategoryId: numbered, tariffId, quantity }],
  };
}

/** Creates a point of sale with the hall's tariff; returns its service host. */
export async function openShop(partner: Partner, hall: Hall, holdMinutes: number): Promise<string> {
  const { serviceHost } = await partner.must(
    '/svc/v3/catalog/points-of-sale',
    post({
      serviceHost: `${createName('tickets')}.example`,
      name: 'Web shop',
      languages: ['fr', 'en'],
      currency: 'CHF',
      tariffIds: [hall.tariffId],
      paymentMethods: ['external', 'on_account', 'simulated', 'stripe'],
      maxPlacesPerOrder: 8,
      holdMinutes,
      branding: {
        colours: { accent: '#8c1d18', ink: '#1b1b1f', paper: '#ffffff' },
        logo: '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9z"/></svg>',
      },
      links: { terms: 'https://www.opera.example/terms' },
    }),
  );
  return serviceHost;
}

export const STAFF_PASSWORD = 'four swans on a cold lake';

export const PASSWORD = 'correct horse battery';

export type Shop = Awaited<ReturnType<typeof runScenario>>;

export async function openInstitution(
  scenario: Scenario,
): Promise<{ readonly institution: string; readonly partner: Partner }> {
  const institution = createName('opera');
  const facts = { id: institution, name: 'Opéra du Lac', currency: 'CHF', languages: ['fr', 'en'] };
  await createInstitution(storeOf(scenario, 'catalog'), facts);
  const partner = await createPartner(scenario, institution);
  const keys = { secretKey: 'sk_simulated_of_scenarios', webhookSecret: 'whsec_of_scenarios' };
  await partner.must('/svc/v3/payment-providers/stripe', { method: 'PUT', body: keys });
  return { institution, partner };
}

const storeOf = ({ stores }: Scenario, name: string): Store => {
  const store = stores[name];
  if (!store) throw new Error(`there is no ${name}`);
  return store;
};

export async function runScenario(scenario: Scenario) {
  const { institution, partner } = await openInstitution(scenario);
  await subscribe(partner);
  const hall = await openHall(partner, createName('TOSCA').toUpperCase());
  const contactNumber = await meet(partner);
  await sell(partner, hall, contactNumber);
  const elsewhere = { method: 'PATCH', body: { venue: { name: 'Odeon' } } };
  await partner.must(`/svc/v3/catalog/performances/${hall.performanceId}`, elsewhere);
  const cancelled = await openHall(partner, createName('LULU').toUpperCase());
  await partner.must(
    '/svc/v3/orders',
    post({ items: [...buildSeatItems(hall).items, ...buildSeatItems(cancelled).items] }),
  );
  const off = { method: 'PATCH', body: { state: 'cancelled' } };
  await partner.must(`/svc/v3/catalog/performances/${cancelled.performanceId}`, off);
  const serviceHost = await openShop(partner, hall, 15);
  const user = { institution, serviceHost, login: 'ana', password: PASSWORD, contactNumber };
  await createUser(storeOf(scenario, 'pos'), user);
  await visit(scenario, hall, serviceHost, user.login);
  await payByProvider(scenario, partner, hall, serviceHost);
  await sellWithCode(partner);
  await comeAndGo(scenario, partner);
  // Another client's order names the contact.
  const agency = await createPartner(scenario, institution);
  await agency.must('/svc/v3/orders', post({ ...buildSeatItems(hall), contactNumber }));
  await inviteStaff(scenario, partner);
  await useApiKey(scenario, partner, institution);
  return { partner, hall };
}

/** A webhook whose receiver is not there: events and tests are attempted, and wait to be tried again. */
const subscribe = async (partner: Partner): Promise<void> => {
  const webhook = { url: 'http://127.0.0.1:9/hook', types: ['ticket.controlled', 'ticket.replaced'] };
  const { webhookId } = await partner.must('/svc/v3/webhooks', post(webhook));
  await partner.must(`/svc/v3/webhooks/${webhookId}/test`, post());
};

const meet = async (partner: Partner): Promise<string> => {
  const path = '/svc/v3/contacts/individuals';
  const { contactNumber } = await partner.must(path, individual('Martin'));
  await partner.must(`${path}/${contactNumber}/sensitive`, {
    method: 'PUT',
    body: { dateOfBirth: '1984-02-29', accessibilityNeeds: 'wheelchair place' },
  });
  const gone = await partner.must(path, individual('Gone'));
  await partner.must(`${path}/${gone.contactNumber}`, { method: 'DELETE' });
  const structure = { name: 'Collège de la Rive', legalForm: 'school', email: `${createName('c')}@example.org` };
  await partner.must('/svc/v3/contacts/structures', post(structure));
  return contactNumber;
};

const individual = (name: string) =>
  post({
    lastName: name,
    firstName: 'Ana',
    email: `${createName('ana')}@example.org`,
    language: 'fr',
    address: { street: 'Boulevard du Théâtre 11', postalCode: '1204', city: 'Genève', country: 'CH' },
    authorizations: { newsletter: true, partners: false },
  });

const sell = async (partner: Partner, hall: Hall, contactNumber: string): Promise<void> => {
  const order = async (more: object = {}) => {
    const made = await partner.must('/svc/v3/orders', post({ ...buildSeatItems(hall), contactNumber, ...more }));
    return { id: String(made.id), act: actOn(partner, made.id), total: Number(made.total) };
  };
  const sellOrder = async () => {
    const { id, act, total } = await order();
    await act('payments', card(total, 'captured'));
    const { lines } = await partner.must(`/svc/v3/orders/${id}`);
    const ticketId = String(lines[0].ticketId);
    const ticket = (action: string, body: object) => partner.must(`/svc/v3/tickets/${ticketId}/${action}`, post(body));
    // The fact may arrive before the response's own ticket.
    await waitUntil(async () => (await partner.ask(`/svc/v3/tickets/${ticketId}`)).status === 200);
    return { id, act, ticket, ticketId, total };
  };
  await order({ externalReference: createName('open') });
  const pending = await order();
  await pending.act('payments', card(pending.total, 'pending'));
  const reserved = await order();
  await reserved.act('reservation', { dueAt: inDays(10) });
  const expiring = await order({ pointOfSale: await openShop(partner, hall, 0.01) });
  const dropped = await order();
  await dropped.act('cancellation', { reason: 'changed their mind' });
  await sellOrder();
  const cancelled = await sellOrder();
  await cancelled.act('cancellation', { reason: 'the customer is ill' });
  await cancelled.act('refunds', { method: 'card', amount: cancelled.total });
  const controlled = await sellOrder();
  await controlled.ticket('printing', {});
  await controlled.ticket('control', { gate: 'North' });
  const scanned = await sellOrder();
  await scanned.ticket('printing', {});
  await partner.must(
    '/svc/v3/tickets/controls',
    post({ items: [{ nonce: createName('scan'), ticketId: scanned.ticketId }] }),
  );
  const replaced = await sellOrder();
  await replaced.ticket('printing', {});
  await replaced.ticket('replacement', { reason: 'lost' });
  for (const id of [expiring.id, cancelled.id]) {
    await waitUntil(async () => {
      const { state, cancellation } = await partner.must(`/svc/v3/orders/${id}`);
      return state === 'expired' || typeof cancellation?.settledAt === 'string';
    });
  }
};

const actOn = (partner: Partner, orderId: string) => (action: string, body: object) =>
  partner.must(`/svc/v3/orders/${orderId}/${action}`, post(body));

const card = (amount: number, status: 'captured' | 'pending') => ({ method: 'card', amount, status });

const visit = async (scenario: Scenario, hall: Hall, serviceHost: string, login: string): Promise<void> => {
  const item = { performanceId: hall.performanceId, seatCategoryId: hall.free, tariffId: hall.tariffId, quantity: 1 };
  const guest = createVisitor(scenario, serviceHost);
  await guest.must('/tnwr/v1/shopping-cart/items', post(item));
  const member = createVisitor(scenario, serviceHost);
  const { contactNumber } = await member.must('/tnwr/v1/sessions', post({ login, password: PASSWORD }));
  await member.must('/tnwr/v1/shopping-cart/items', post(item));
  const purchase = { contactNumber, paymentMethod: 'simulated', paymentToken: 'ok' };
  const { id } = await member.must('/tnwr/v1/orders', post(purchase));
  await member.must(`/tnwr/vexp/orders/${id}/links`, post());
  await member.ask('/tnwr/v1/sessions', post({ login, password: 'wrong' }));
};

const payByProvider = async (scenario: Scenario, partner: Partner, hall: Hall, serviceHost: string): Promise<void> => {
  const guest = createVisitor(scenario, serviceHost);
  const [item] = buildSeatItems(hall).items;
  await guest.must('/tnwr/vexp/shopping-cart/items', post(item));
  const contact = { firstName: 'Ana', lastName: 'Guest', email: `${createName('ana')}@example.org` };
  const { id, payment } = await guest.must('/tnwr/vexp/orders', post({ contact, paymentMethod: 'stripe' }));
  await payOnPage(scenario, payment.url);
  await waitUntil(async () => (await partner.must(`/svc/v3/orders/${id}`)).state === 'confirmed');
  await actOn(partner, id)('refunds', { provider: 'stripe', amount: 500 });
  await waitUntil(async () => {
    const { items } = await partner.must(`/svc/v3/orders/${id}/refunds`);
    return items.every(({ state }: { readonly state: string }) => state === 'done');
  });
};

/** With a tax, a fee and a code of few uses: one line holds one, another has sold one. A guess leaves its count. */
const sellWithCode = async (partner: Partner): Promise<void> => {
  const create = (path: string, body: object) => partner.must(`/svc/v3/catalog/${path}`, post(body));
  const hall = await openHall(partner, createName('CARMEN').toUpperCase());
  const { id: taxId } = await create('taxes', { code: 'REDUCED', name: { en: 'VAT' }, rate: '2.6' });
  const fee = { code: 'BOOKING', name: { en: 'Booking fee' }, per: 'ticket', amount: 200, taxId };
  await create('fees', fee);
  const discount = { name: { en: 'New season' }, trigger: 'code', effect: { percent: '10' }, limits: { uses: 5 } };
  const { id } = await create('discounts', discount);
  const code = createName('NEW').toUpperCase();
  await create(`discounts/${id}/codes`, { codes: [{ code, maxUses: 3 }] });
  await partner.ask('/svc/v3/orders/quotes', post({ ...buildSeatItems(hall), codes: [createName('NONE')] }));
  const order = () => partner.must('/svc/v3/orders', post({ ...buildSeatItems(hall), codes: [code] }));
  await order();
  const sold = await order();
  await actOn(partner, sold.id)('payments', card(sold.total, 'captured'));
};

const comeAndGo = async ({ urls }: Scenario, partner: Partner): Promise<void> => {
  const { clientId, clientSecret } = await partner.must(
    '/svc/v3/clients',
    post({ name: 'agency', scopes: ['orders:read'] }),
  );
  const authorizer = openClient({ baseUrl: String(urls.authorizer) });
  const authorization = await requestAuthorization(authorizer, { clientId, clientSecret });
  const form = { client_id: clientId, client_secret: clientSecret, token: authorization.replace('Bearer ', '') };
  const { status } = await authorizer('/auth/revoke', { method: 'POST', body: new URLSearchParams(form) });
  if (status !== 200) throw new Error(`/auth/revoke answered ${status}`);
  await partner.must(`/svc/v3/clients/${clientId}`, { method: 'DELETE' });
};

/** Users of the institution API: an invited one, an administrator who leaves, and another who stays and signs in. */
const inviteStaff = async (scenario: Scenario, partner: Partner): Promise<void> => {
  const { urls } = scenario;
  const inviteUser = (role: string) =>
    partner.must('/svc/v3/users', post({ login: `${createName(role)}@example.org`, name: 'Ana', role }));
  const active = async (role: string): Promise<{ readonly userId: string; readonly login: string }> => {
    const { userId, login, invitation } = await inviteUser(role);
    const token = new URL(invitation.url).searchParams.get('token') ?? '';
    const form = new URLSearchParams({ token, password: STAFF_PASSWORD, repeat: STAFF_PASSWORD });
    const answer = await fetch(`${urls.authorizer}/auth/invitation`, { method: 'POST', body: form });
    if (answer.status !== 200) throw new Error(`/auth/invitation answered ${answer.status}`);
    return { userId, login };
  };
  await inviteUser('door');
  const [leaving, staying] = [await active('admin'), await active('admin')];
  await partner.must(`/svc/v3/users/${leaving.userId}`, { method: 'DELETE' });
  await signIn(scenario, partner, staying.login, STAFF_PASSWORD);
};

/** An API key that was used: the authorizer is told as a gateway tells it. */
const useApiKey = async (scenario: Scenario, partner: Partner, institution: string): Promise<void> => {
  const { apiKeyId } = await partner.must('/svc/v3/api-keys', post({ name: 'calendar', monthlyQuota: 1_000 }));
  const report = createRecordUsage(storeOf(scenario, 'authorizer'), Date.now);
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
  const counted = { institution, minute, clientId: null, userId: null, operation: 'getCatalog', status: 200 };
  await report({
    gateway: createName('gateway'),
    sequence: 1,
    rows: [{ ...counted, apiKeyId, requests: 3, bytes: 900 }],
  });
};

/** Orders of which something is due: the catalog is gone when they are paid and changed. */
export async function leaveInterruptedWork(scenario: Scenario, { partner, hall }: Shop): Promise<void> {
  const order = (quantity: number) => partner.must('/svc/v3/orders', post(buildSeatItems(hall, quantity)));
  const [paid, changed] = [await order(1), await order(2)];
  await scenario.stop('catalog');
  await partner.ask(`/svc/v3/orders/${paid.id}/payments`, post(card(paid.total, 'captured')));
  await partner.ask(`/svc/v3/orders/${changed.id}/lines/${changed.lines[0].id}`, { method: 'DELETE' });
  const orders = storeOf(scenario, 'orders').collection({ name: 'orders', indexes: [] }).acrossInstitutions;
  for (const due of ['saleDue', 'removedPlaces']) {
    if ((await orders.count({ [`${due}.since`]: { gt: 0 } })) !== 1) throw new Error(`no order has ${due}`);
  }
}
