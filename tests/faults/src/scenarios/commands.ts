import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, requestAuthorization } from '@boxoffice/testkit';
import { type OrderView, openVisit, requireData, sendCommand } from '../client/api.ts';
import { type Buyer, getCreatedOrder } from '../client/buyer.ts';
import { openShop, type Shop } from '../client/shop.ts';
import { listPoints } from '../deployment/crash-points.ts';
import type { Partner } from '../deployment/deployment.ts';
import type { Check } from '../invariants/verdict.ts';
import type { Entry, Outcome } from '../round/journal.ts';
import type { Random } from '../round/random.ts';
import { beginRound, type Context, openBuyers, type Scenario } from '../round/round.ts';
import { buildAnyPlacesItem, type Hall, openHall, openPointOfSale } from '../round/stage.ts';
import { repeatUntilEnough, runWithClients } from '../round/traffic.ts';
import { choosePoints, countRounds, killAtEach, requireReached } from './kills.ts';

interface KnownContact {
  readonly contactNumber: string;
  /** The acknowledged phone; undefined if none was, or a change is inconclusive. */
  phone: string | undefined;
  /** The outcome of its erasure; undefined without one. */
  erased: Outcome | undefined;
}

const INDIVIDUALS = '/svc/v3/contacts/individuals';

/** Creates a contact and changes it; undefined if the creation was not acknowledged. */
const newContact = async (api: Client, random: Random): Promise<KnownContact | undefined> => {
  const created = await sendCommand(api, INDIVIDUALS, 'POST', {
    lastName: 'Buyer',
    email: `${randomUUID()}@example.org`,
  });
  if (created.outcome !== 'ok') return undefined;
  const { contactNumber } = created.data;
  const phone = `+41 22 555 ${random.between(1_000, 9_999)}`;
  const { outcome } = await sendCommand(api, `${INDIVIDUALS}/${contactNumber}`, 'PATCH', { phone });
  return { contactNumber, phone: outcome === 'ok' ? phone : undefined, erased: undefined };
};

/** Changes an open order in every way, and returns its latest state; undefined when a response is inconclusive. */
const changeOrder = async (
  buyer: Buyer,
  hall: Hall,
  created: OrderView,
  contact: KnownContact | undefined,
): Promise<OrderView | undefined> => {
  const { id } = created;
  const added = await buyer.add(id, [buildAnyPlacesItem(hall, 1)]);
  const [first] = created.lines;
  const removed = first && (await buyer.remove(id, first.id));
  const named = contact && (await buyer.change(id, contact.contactNumber));
  const longer = await buyer.extend(id, 30);
  const reserved = await buyer.reserve(id, new Date(Date.now() + 3_600_000));
  const last = [added, removed, named, longer, reserved].flatMap((one) => (one?.outcome === 'ok' ? [one] : [])).at(-1);
  return reserved.outcome === 'ok' ? (last?.answer as OrderView) : undefined;
};

/** Pays later, with a captured payment or on account; returns the acknowledged order. */
const buy = async (buyer: Buyer, { id, total }: OrderView, random: Random): Promise<OrderView | undefined> => {
  if (random.chance(0.3)) {
    const confirmed = await buyer.confirm(id);
    return confirmed.outcome === 'ok' ? (confirmed.answer as OrderView) : undefined;
  }
  const pledged = await buyer.pledge(id, total);
  const paymentId = (pledged.answer as { readonly id?: string } | null)?.id;
  if (paymentId === undefined) return undefined;
  const settled = await buyer.settle(id, paymentId, total);
  if (settled.outcome !== 'ok') return undefined;
  if (random.chance(0.6)) await buyer.refund(id, Math.ceil(total / 2));
  return settled.answer as OrderView;
};

const useTicket = async (buyer: Buyer, ticketId: string): Promise<void> => {
  await buyer.print(ticketId);
  await buyer.control(ticketId);
  const reverted = await buyer.revert(ticketId);
  if (reverted.outcome === 'ok') await buyer.replace(ticketId);
};

/** An order whose hold ends before it is paid: its places are held again. */
const payTooLate = async (buyer: Buyer, hall: Hall, serviceHost: string, holdMs: number): Promise<void> => {
  const order = getCreatedOrder(await buyer.create([buildAnyPlacesItem(hall, 1)], serviceHost));
  if (!order) return;
  await new Promise((resolve) => setTimeout(resolve, holdMs));
  await buyer.pay(order.id, order.total);
};

interface CommandsOptions {
  readonly api: Client;
  readonly buyer: Buyer;
  readonly hall: Hall;
  /** A point of sale whose holds end after `holdMs`. */
  readonly brief: { readonly serviceHost: string; readonly holdMs: number };
  readonly contacts: KnownContact[];
}

const commandsInTurn = async (options: CommandsOptions, random: Random): Promise<void> => {
  const { api, buyer, hall, brief, contacts } = options;
  if (random.chance(0.2)) return payTooLate(buyer, hall, brief.serviceHost, brief.holdMs);
  if (random.chance(0.2)) return void (await buyer.create([buildAnyPlacesItem(hall, 1)], brief.serviceHost));
  const contact = await newContact(api, random);
  if (contact) contacts.push(contact);
  const created = getCreatedOrder(await buyer.create([buildAnyPlacesItem(hall, 2)]));
  const order = created && (await changeOrder(buyer, hall, created, contact));
  const bought = order && (await buy(buyer, order, random));
  const ticketId = bought?.lines?.find((line) => line.ticketId !== null)?.ticketId;
  if (ticketId) await useTicket(buyer, ticketId);
  if (created && random.chance(0.4)) await buyer.cancel(created.id);
  // Last: an erasure deletes the answers about the contact, so that a request could not be repeated under its key.
  if (contact && random.chance(0.7)) {
    contact.erased = (await sendCommand(api, `${INDIVIDUALS}/${contact.contactNumber}`, 'DELETE')).outcome;
  }
};

interface KnownPerformance {
  readonly id: string;
  /** Undefined if the change is inconclusive. */
  readonly startDate: string | undefined;
}

/** Puts another performance on sale and changes it; undefined when the product stays unavailable. */
const managePerformance = async (api: Client, name: string, days: number): Promise<KnownPerformance | undefined> => {
  const hall = await openHall(api, name, [{ code: 'ONE', capacity: 1 }]).catch(() => undefined);
  if (!hall) return undefined;
  const { performanceId: id } = hall;
  const startDate = new Date(Date.now() + days * 86_400_000).toISOString();
  const { outcome } = await sendCommand(api, `/svc/v3/catalog/performances/${id}`, 'PATCH', { startDate });
  return { id, startDate: outcome === 'ok' ? startDate : undefined };
};

/** Requests another token, as a client does that has just started; without a response, it gets none. */
const requestToken = async (visit: Client, partner: Partner): Promise<void> =>
  void (await requestAuthorization(visit, partner).catch(() => undefined));

/** A user logs in, puts items into the cart and takes one out again; the carts expire. */
const browse = async (visit: Client, shop: Shop, random: Random): Promise<void> => {
  const send = (path: string, method: string, token: string | undefined, body?: object) =>
    visit(`/tnwr/v1${path}`, {
      method,
      headers: {
        'x-service-host': shop.serviceHost,
        'idempotency-key': randomUUID(),
        ...(token === undefined ? {} : { 'x-auth-token': token }),
      },
      ...(body === undefined ? {} : { body }),
    }).catch(() => undefined);
  const { login, password } = random.pick(shop.users);
  const session = (await send('/sessions', 'POST', undefined, { login, password }))?.headers['x-auth-token'];
  if (typeof session !== 'string') return;
  const { performanceId, tariffId } = shop;
  const item = { performanceId, tariffId, seatCategoryId: random.pick(shop.seatCategoryIds), quantity: 2 };
  const cart = await send('/shopping-cart/items', 'POST', session, item);
  const [first] = Object.keys(cart?.body?.data?.items ?? {});
  if (first !== undefined) await send(`/shopping-cart/items/${first}`, 'DELETE', session);
};

const BUYERS = 5;
const HOLD_SECONDS = 20;
/** The hold of orders that are paid too late, and of those that expire. */
const BRIEF_SECONDS = 1;
/** Longer than a brief hold. */
const LATE_MS = 2_500;
/** Between two performances that are put on sale, and between two tokens. */
const PAUSE_MS = 700;

const checkContacts = async ({ api }: Context, contacts: readonly KnownContact[], check: Check): Promise<void> => {
  for (const { contactNumber, phone, erased } of contacts) {
    const contact = await requireData(api, `/svc/v3/contacts/individuals/${contactNumber}`);
    const text = () => `contact ${contactNumber} has phone ${contact.phone}, and its erasure is ${erased}`;
    if (erased === 'ok') check.that('acknowledged', contact.erasedAt !== null && contact.phone == null, text);
    else if (erased === undefined && phone !== undefined) check.that('acknowledged', contact.phone === phone, text);
  }
};

const checkPerformances = async ({ api }: Context, known: readonly KnownPerformance[], check: Check): Promise<void> => {
  for (const { id, startDate } of known) {
    if (startDate === undefined) continue;
    const stored = await requireData(api, `/svc/v3/catalog/performances/${id}`);
    const text = () => `performance ${id} starts ${stored.startDate}, ${startDate} was acknowledged`;
    check.that('acknowledged', Date.parse(stored.startDate) === Date.parse(startDate), text);
  }
};

/** Checks that acknowledged refunds are recorded once, and no others. */
const checkRefunds = async ({ api }: Context, entries: readonly Entry[], check: Check): Promise<void> => {
  const refunds = Map.groupBy(
    entries.filter(({ action }) => action === 'refund'),
    ({ subject }) => subject,
  );
  for (const [orderId, own] of refunds) {
    const { items } = await requireData(api, `/svc/v3/orders/${orderId}/refunds`);
    const least = own.filter(({ outcome }) => outcome === 'ok').length;
    const most = own.filter(({ outcome, unknownTries }) => outcome !== 'refused' || unknownTries > 0).length;
    const fits = items.length >= least && items.length <= most;
    const text = () => `${orderId} has ${items.length} refunds, ${least} of ${most} were acknowledged`;
    check.that('acknowledged', fits, text);
  }
};

const points = listPoints('command');

export const commands: Scenario = {
  name: 'commands',
  about:
    'SIGKILL at eight steps a round of every other command and reaction: lines, extensions, payments, refunds, replacements, contacts, carts, tokens, the catalog',
  rounds: countRounds(points),
  async play(context) {
    const { api, deployment, random, reference } = context;
    const round = await beginRound(context);
    const { hall } = round;
    const shop = await openShop(deployment, api, reference, hall, HOLD_SECONDS);
    const serviceHost = await openPointOfSale(api, `${reference}-brief`, hall, BRIEF_SECONDS);
    const brief = { serviceHost, holdMs: LATE_MS };
    const contacts: KnownContact[] = [];
    const performances: KnownPerformance[] = [];
    const visit = openVisit(deployment);
    const buyers = openBuyers(context, round, BUYERS);
    const clients = (enough: () => boolean) => [
      ...buyers.map((buyer, index) => {
        const own = random.fork(`commands ${index}`);
        return repeatUntilEnough(
          (turn) => commandsInTurn({ api, buyer, hall, brief, contacts }, own.fork(`${turn}`)),
          enough,
        );
      }),
      ...[0, 1].map((index) =>
        repeatUntilEnough((turn) => browse(visit, shop, random.fork(`visit ${turn} of ${index}`)), enough),
      ),
      repeatUntilEnough(async (turn) => {
        const made = await managePerformance(api, `${reference}-${turn}`, 40 + turn);
        if (made) performances.push(made);
        await pause(PAUSE_MS);
      }, enough),
      repeatUntilEnough(async () => {
        await requestToken(visit, deployment.partner);
        await pause(PAUSE_MS);
      }, enough),
    ];
    const missed = await runWithClients(round, clients, () =>
      killAtEach(context, round, choosePoints(context, points)),
    );
    round.alsoTrue = async ({ entries }, check) => {
      requireReached(missed, check);
      await checkContacts(context, contacts, check);
      await checkPerformances(context, performances, check);
      await checkRefunds(context, entries, check);
    };
    return round;
  },
};
