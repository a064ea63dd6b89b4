import { accept, isRefused } from '../../../src/domain/decisions.ts';
import { isEmptiedCart } from '../../../src/domain/lines.ts';
import { computeDue } from '../../../src/domain/order/money.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import { isUnpaid } from '../../../src/domain/order/state.ts';
import { listSpare, listStock } from '../../../src/domain/price.ts';
import { decideWork } from '../../../src/follows.ts';
import { changeLine, endChange, endDueChange, settleChanges } from './changes.ts';
import { claimUses, listClaims, readBook } from './claims.ts';
import type { Event } from './histories.ts';
import { computeLedgerGoodwill } from './invariants.ts';
import { applyPrices, type Claimed, UNKNOWN_CODES } from './prices.ts';
import {
  type Command,
  call,
  expireNow,
  getPlaceIds,
  issueAtOnce,
  issueTickets,
  Refused,
  read,
  runCommand,
  runStockFirst,
  type Steps,
  sell,
  sellIfDue,
  sellPlaces,
  Unavailable,
  write,
} from './steps.ts';
import type { Hold } from './stock.ts';
import type { Doc, Rule, World } from './world.ts';

export const MINUTE = 60_000;
export const HOLD_MS = 15 * MINUTE;
/** Of an order that one call sells. */
const HOLD_FOR_SALE_MS = 5 * MINUTE;
const GRACE_MS = 15 * MINUTE;
/** How long a claim of due work lasts, and how long it waits for another attempt. */
const CLAIM_MS = 15_000;
const RETRY_MS = 1_000;

type Taken = { readonly held: Held; readonly request: string; readonly asOf: number };
type Held = { readonly ids: string[]; readonly until: number };

/** Creates an order: holds its places, inserts it, and sells it where one call does. */
export function* create(
  world: World,
  id: string,
  wanted: Hold['wanted'],
  kind: 'order' | 'cart' | 'sold',
  hasCode: boolean,
): Steps {
  const isSold = kind === 'sold';
  const until = world.now() + (isSold ? HOLD_FOR_SALE_MS : HOLD_MS);
  const hold = { holder: id, request: 'create', asOf: 1, wanted, until, claimFirst: isSold };
  const answer = yield* call(world, () => ({ held: world.stock.hold(hold), book: readBook(world, hold) }));
  const { held, book } = answer;
  if (!held) return;
  const lines = world.lines(held.ids);
  const codes = hasCode ? { codes: UNKNOWN_CODES } : {};
  const draft = { pointOfSale: null, createdBy: undefined, lines, ...codes };
  const claim = { holder: id, request: hold.request, asOf: 1, until: held.until, checksCodes: true };
  let uses: readonly string[] = [];
  try {
    const pricing = yield* claimUses(world, draft, book, claim);
    uses = listClaims(pricing);
    yield;
    if (!world.insert(id, { lines, until: held.until, pricing }, kind, hasCode)) throw new Refused('overtaken');
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    yield* releaseRefused(world, id, {
      held: { ...held, ids: [...held.ids, ...uses] },
      request: hold.request,
      asOf: 1,
    });
    if (world.get(id) === undefined) throw error;
  }
  if (kind === 'sold') yield* sell(world, yield* read(world, id));
}

/** Releases what a refused request has taken, but no place of a line. */
function* releaseRefused(world: World, id: string, { held: { ids }, request, asOf }: Taken): Steps {
  yield;
  const own = listStock(world.get(id)?.order.lines ?? []);
  const rest = ids.filter((placeId) => !own.includes(placeId));
  if (rest.length > 0) yield* call(world, () => world.stock.releaseTaken(id, rest, request, asOf));
}

const methods = ['external', 'external', 'on_account', 'simulated'] as const;

/** The work of an order, from the document that was claimed. */
const acts: Readonly<
  Record<
    'sell' | 'expire' | 'releaseRemoved' | 'endChange' | 'settleChanges' | 'shortenHold' | 'issueTickets',
    (world: World, doc: Doc) => Steps<unknown>
  >
> = {
  sell: sellIfDue,
  expire: expireNow,
  releaseRemoved,
  endChange: endDueChange,
  settleChanges,
  shortenHold,
  issueTickets,
};

type Acting = keyof typeof acts;

/** Does the due work of one order, as the runner does. */
export function* doWork(world: World, id: string): Steps {
  for (const name of Object.keys(acts) as Acting[]) {
    yield;
    yield* work(world, id, name);
  }
}

/** Claims one work of an order that is due, does it, and ends it or leaves it for another attempt. */
function* work(world: World, id: string, name: Acting): Steps {
  const { rules } = world;
  const claimed = world.get(id);
  const at = claimed?.due.get(name);
  if (!claimed || at === undefined || at > world.now()) return;
  const until = world.now() + CLAIM_MS;
  world.moveDue(id, name, at, until);
  if (rules.endsBeforeEffect) world.moveDue(id, name, until, null);
  let hasFailed = false;
  try {
    yield* acts[name](world, claimed);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unavailable)) throw error;
    hasFailed = true;
  }
  yield;
  const left = world.get(id);
  // An attempt that did not fail has issued what the order has then.
  const open = name === 'issueTickets' ? (hasFailed ? at : null) : left && decideWork(left.order)[name];
  const again = rules.isLeft(open ?? null, hasFailed);
  const next = typeof again === 'number' ? Math.max(again, world.now() + RETRY_MS) : null;
  world.moveDue(id, name, until, next);
}

/** The process of a request, or undefined for an event that is none. */
export function createProcess(world: World, event: Event): Steps | undefined {
  const { rules } = world;
  const { kind, number, flag, order: id, key } = event;
  const request = `${kind}-${key}`;
  const command = { id, request };
  const at = world.now();
  const wanted = flag ? { count: 1 + (number % 3) } : { number };
  const { listedAt, unseen } = world.get(id)?.order ?? {};
  const isCart = listedAt === null;
  // Nobody finds it; the cancellation of its performance and the due work do.
  if (unseen && kind !== 'cancellation' && kind !== 'work') return undefined;
  const kinds: Readonly<Record<string, () => Steps<unknown>>> = {
    create: () => create(world, id, wanted, key % 2 === 0 ? 'cart' : 'order', flag),
    lines: () => addLines(world, command, wanted, number < 14),
    removal: () => removeLine(world, command, number),
    cancellation: () => cancel(world, command, event),
    checkout: () => checkOut(world, command, event),
    work: () => doWork(world, id),
  };
  // An institution sees no carts.
  const ofInstitutions: typeof kinds = {
    extension: () =>
      heldOtherwise(world, command, (order, now) => rules.extend(order, { minutes: number * 4, at }, now)),
    reservation: () =>
      heldOtherwise(world, command, (order, now) => rules.reserve(order, { dueAt: at + number * 2 * MINUTE }, now)),
    confirmation: () => confirm(world, command, flag),
    captured: () => pay(world, command, event, 'captured'),
    pending: () => pay(world, command, event, 'pending'),
    settlement: () => settle(world, command, event),
    refund: () => refund(world, command, event),
    report: () => report(world, command, event),
    details: () => changeBuyer(world, command, `C${number % 2}`),
    // Prices of new lines with discounts are no matter of these histories.
    ...(!world.uses && { change: () => changeLine(world, command, event) }),
    withdrawal: () => endChange(world, command),
    codes: () => changeCodes(world, command, flag ? UNKNOWN_CODES : []),
  };
  const steps = kinds[kind] ?? (isCart ? undefined : ofInstitutions[kind]);
  return steps?.() as Steps | undefined;
}

function* addLines(world: World, command: Command, wanted: Hold['wanted'], permit: boolean): Steps {
  const { rules, stock } = world;
  const { request = '' } = command;
  let taken: Taken | undefined;
  const rule: Rule = (order, now) => rules.unextendable(order, now) ?? accept(order);
  const effect = function* (doc: Doc): Steps<{ held: Held; pricing: Claimed }> {
    yield* release(world, doc);
    const { id: holder, version: asOf, order } = doc;
    const until = isEmptiedCart(order) ? world.now() + HOLD_MS : (order.expiresAt ?? 0);
    const hold = { holder, request, asOf, wanted, until };
    const { held, book } = yield* call(world, () => ({ held: stock.hold(hold), book: readBook(world, hold) }));
    if (!held) throw new Refused('places_unavailable');
    taken = { held, request, asOf };
    if (!isEmptiedCart(order) && held.until < until) yield* holdUntil(world, doc, until, held.ids);
    if (!permit) throw new Refused('tariff_not_accessible');
    const draft = { ...order, lines: [...order.lines, ...world.lines(held.ids)] };
    const claim = { holder, request, asOf, until: Math.max(order.expiresAt ?? 0, held.until), checksCodes: false };
    const pricing = yield* claimUses(world, draft, book, claim);
    taken = { held: { ...held, ids: [...held.ids, ...listClaims(pricing)] }, request, asOf };
    return { held, pricing };
  };
  const writing =
    ({ held: { ids, until }, pricing }: { held: Held; pricing: Claimed }): Rule =>
    (order, now, version) =>
      rules.addLines(order, { lines: world.lines(ids), currency: 'CHF', until }, now, (next) =>
        applyPrices(next, pricing, version, now),
      );
  try {
    yield* sellIfDue(world, yield* runStockFirst(world, command, { rule, effect, write: writing }));
  } catch (error) {
    if (taken && !(error instanceof Unavailable)) yield* releaseRefused(world, command.id, taken);
    throw error;
  }
}

function* release(world: World, { id, order: { removedPlaces } }: Doc): Steps {
  if (removedPlaces) yield* call(world, () => world.stock.release(id, removedPlaces.placeIds, removedPlaces.asOf));
}

function* holdUntil(world: World, doc: Doc, until: number, ids = getPlaceIds(doc)): Steps {
  if (ids.length === 0) return;
  yield* shortenInStock(world, doc);
  const missing = yield* call(world, () => world.stock.extend(doc.id, ids, until));
  if (missing.length > 0) throw new Refused('places_gone');
}

function* shortenInStock(world: World, doc: Doc): Steps {
  const { id, order, version } = doc;
  const ids = getPlaceIds(doc);
  const until = order.expiresAt;
  if (order.shorteningDue == null || until === null || !isUnpaid(order) || ids.length === 0) return;
  yield* call(world, () => world.stock.shorten(id, ids, until, version));
}

function* removeLine(world: World, command: Command, number: number): Steps {
  const doc = yield* runWithPrices(world, command, false, (price) => (order, now, asOf) => {
    const lineId = order.lines[number % Math.max(1, order.lines.length)]?.id ?? 'lin_none';
    return world.rules.removeLine(order, { lineId, asOf }, now, price);
  });
  yield* sellIfDue(world, yield* releaseRemoved(world, doc));
}

type Priced = (order: Order) => Order;

/** Claims the uses that the order needs then, and writes it at its prices. */
function* runWithPrices(
  world: World,
  command: Command,
  checksCodes: boolean,
  rule: (price?: Priced) => Rule,
): Steps<Doc> {
  if (!world.uses && !checksCodes) return yield* runCommand(world, command, rule());
  const { id: holder, request = '' } = command;
  let taken: Taken | undefined;
  const effect = function* ({ order, version: asOf }: Doc, next: Order): Steps<Claimed> {
    const book = yield* call(world, () => readBook(world, { holder, request }));
    const until = order.expiresAt ?? 0;
    const draft = { ...next, spare: listSpare(order, next) };
    const pricing = yield* claimUses(world, draft, book, { holder, request, asOf, until, checksCodes });
    taken = { held: { ids: [...(taken?.held.ids ?? []), ...listClaims(pricing)], until }, request, asOf };
    return pricing;
  };
  const write =
    (pricing: Claimed): Rule =>
    (order, now, version) =>
      rule((next) => applyPrices(next, pricing, version, now, order))(order, now, version);
  try {
    return yield* releaseAtOnce(world, yield* runStockFirst(world, command, { rule: rule(), effect, write }));
  } catch (error) {
    if (taken && error instanceof Refused) yield* releaseRefused(world, holder, taken);
    throw error;
  }
}

function* changeCodes(world: World, command: Command, codes: Order['codes'] & object): Steps {
  const rule =
    (price?: Priced): Rule =>
    (order, now) =>
      world.rules.changeDetails(order, { codes }, now, price && { price });
  yield* sellIfDue(world, yield* runWithPrices(world, command, true, rule));
}

function* releaseAtOnce(world: World, doc: Doc): Steps<Doc> {
  try {
    return yield* releaseRemoved(world, doc);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return doc;
  }
}

function* releaseRemoved(world: World, doc: Doc): Steps<Doc> {
  const { removedPlaces } = doc.order;
  if (!removedPlaces) return doc;
  yield* release(world, doc);
  const rule: Rule = (order) =>
    accept(
      order.removedPlaces?.asOf === removedPlaces.asOf
        ? world.rules.withoutReleased(order, removedPlaces.placeIds)
        : order,
    );
  return (yield* write(world, doc, rule)).doc;
}

function* cancel(world: World, command: Command, { number, flag }: Event): Steps {
  yield;
  // The tickets' answer may be outdated when the order is cancelled.
  const controlled = number % 3 === 0 ? null : world.ticketsOf(command.id).controlled();
  const how = { reason: 'x', override: flag, controlled };
  yield* runCommand(world, command, (order, now) => world.rules.cancel(order, how, now));
}

function* checkOut(world: World, command: Command, { number, flag }: Event): Steps {
  const { rules } = world;
  const { id, request = '' } = command;
  const method = methods[number % methods.length] ?? 'external';
  const token = flag ? ('ok' as const) : ('pending' as const);
  const input = { requestId: request, contactNumber: `C${number % 2}`, criteria: ['account'], method, token };
  const checkingOut =
    (graceMs: number): Rule =>
    (order, now) =>
      rules.checkOut(order, { ...input, paymentId: `pay_${request}`, graceMs }, now);
  const counted =
    (graceMs: number, sold: readonly string[] | undefined): Rule =>
    (order, now, version) => {
      const decision = checkingOut(graceMs)(order, now, version);
      if (isRefused(decision)) return decision;
      const made = decision.next.payments[order.payments.length];
      if (made?.status === 'captured') world.ledgerOf(id).captured.set(request, made.amount);
      return sold ? rules.confirm(decision.next, { soldPlaceIds: sold }, now) : decision;
    };
  const effect = function* (doc: Doc, next: Order): Steps<{ graceMs: number; sold?: readonly string[] }> {
    const isPaidLater = next.saleDue != null || next.state === 'payment_pending';
    if (isPaidLater) return { graceMs: yield* graceFor(world, doc, next) };
    return { graceMs: GRACE_MS, sold: yield* sellAll(world, doc) };
  };
  const writing = ({ graceMs, sold }: { graceMs: number; sold?: readonly string[] }) => counted(graceMs, sold);
  try {
    const doc = yield* runStockFirst(world, command, {
      rule: checkingOut(GRACE_MS),
      effect,
      write: writing,
      sold: ({ sold = [] }) => sold,
    });
    yield* sell(world, doc);
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== 'places_gone') throw error;
    const how = { reason: 'gone', override: false, controlled: null };
    yield* runCommand(world, { id }, (order, now) =>
      order.state === 'expired' || order.state === 'cancelled' ? accept(order) : rules.cancel(order, how, now),
    );
  }
}

/** For how long an order may wait for its payment. */
function* graceFor(world: World, { order, ...doc }: Doc, next: Order): Steps<number> {
  if (next.state !== 'payment_pending' || order.state === 'payment_pending') return GRACE_MS;
  try {
    yield* holdUntil(world, { ...doc, order }, next.deadline ?? 0);
    return GRACE_MS;
  } catch (error) {
    if (error instanceof Unavailable) return GRACE_MS;
    if (error instanceof Refused && error.reason === 'places_gone') return 0;
    throw error;
  }
}

function* sellAll(world: World, doc: Doc): Steps<readonly string[]> {
  const ids = getPlaceIds(doc);
  const missing = yield* sellPlaces(world, doc.id, ids);
  if (missing.length > 0) throw new Refused('places_gone');
  return ids;
}

function* heldOtherwise(world: World, command: Command, rule: Rule): Steps {
  const doc = yield* runStockFirst(world, command, {
    rule,
    effect: (doc, next) => holdUntil(world, doc, next.expiresAt ?? 0),
    write: () => rule,
  });
  yield* shortenHold(world, doc);
}

/** Ends the hold in the stock with the order's, which has become shorter; without an answer it stays due. */
function* shortenHold(world: World, doc: Doc): Steps {
  const { shorteningDue } = doc.order;
  if (shorteningDue == null) return;
  try {
    yield* shortenInStock(world, doc);
  } catch (error) {
    if (error instanceof Unavailable) return;
    throw error;
  }
  const rule: Rule = (order) =>
    accept(order.shorteningDue === shorteningDue ? { ...order, shorteningDue: null } : order);
  yield* write(world, doc, rule);
}

function* changeBuyer(world: World, command: Command, contactNumber: string): Steps {
  const doc = yield* runCommand(world, command, (order, now) =>
    world.rules.changeDetails(order, { contactNumber }, now),
  );
  yield* issueAtOnce(world, doc);
}

function* confirm(world: World, command: Command, onAccount: boolean): Steps {
  const { rules } = world;
  const rule: Rule = (order, now) => rules.unsellable(order, onAccount, now) ?? accept(order);
  const doc = yield* runStockFirst(world, command, {
    rule,
    effect: (before) => sellAll(world, before),
    write: (soldPlaceIds) => (order, now) =>
      rules.unsellable(order, onAccount, now) ?? rules.confirm(order, { soldPlaceIds }, now),
    sold: (ids) => ids,
  });
  yield* issueAtOnce(world, doc);
}

function* pay(world: World, command: Command, { number, attempt }: Event, status: 'captured' | 'pending'): Steps {
  const { id, request: key = '' } = command;
  const ledger = world.ledgerOf(id);
  const paymentId = world.rules.paymentId(key, attempt);
  const add =
    (graceMs: number): Rule =>
    (order, now) => {
      const amount = number < 12 ? Math.max(1, computeDue(order)) : number - 11;
      const overpaid = status === 'captured' && number > 17;
      const input = { id: paymentId, method: 'card', amount, reference: null, status, overpaid, graceMs };
      return world.rules.addPayment(order, input, now);
    };
  const captured = () => add(GRACE_MS);
  // The payment of the request counts once, however often it comes.
  const counted =
    (rule: Rule): Rule =>
    (order, now, version) => {
      const decision = rule(order, now, version);
      const made = isRefused(decision) ? undefined : decision.next.payments[order.payments.length];
      if (made?.status === 'captured') ledger.captured.set(key, made.amount);
      return decision;
    };
  if (status === 'pending') {
    const effect = (doc: Doc, next: Order) => graceFor(world, doc, next);
    yield* runStockFirst(world, { id }, { rule: captured(), effect, write: add });
  } else {
    const doc = yield* sell(world, yield* runCommand(world, { id }, counted(captured())));
    yield* shortenHold(world, doc);
  }
}

function* settle(world: World, { id }: Command, { number, flag }: Event): Steps {
  const status = flag ? 'captured' : 'failed';
  let paymentId: string | undefined;
  const rule: Rule = (order, now) => {
    const waiting = order.payments.filter((payment) => payment.status === 'pending');
    const choice = number < 15 && waiting.length > 0 ? waiting : order.payments;
    const payment = choice[number % Math.max(1, choice.length)];
    paymentId = payment?.id;
    const decision = world.rules.settlePayment(order, { paymentId: payment?.id ?? '', status }, now);
    const isNew = !isRefused(decision) && payment?.status === 'pending' && flag;
    if (isNew) world.ledgerOf(id).captured.set(payment.id, payment.amount);
    return decision;
  };
  const doc = yield* runCommand(world, { id }, rule);
  if (doc.order.saleDue?.paymentId === paymentId) yield* sell(world, doc);
  else if (doc.order.saleDue) yield* sellIfDue(world, doc);
  else yield* shortenHold(world, doc);
}

/** `flag`: by a provider, whose answer comes later. */
function* refund(world: World, { id, request = '' }: Command, { number, flag }: Event): Steps {
  const ledger = world.ledgerOf(id);
  const key = `ref_${request}`;
  let goodwill = 0;
  const written = () => void ledger.refunded.set(key, { amount: number, at: world.now(), goodwill });
  const input = { id: key, method: 'card', amount: number, reference: null };
  yield* runCommand(world, { id, written }, (order, now) => {
    goodwill = computeLedgerGoodwill(ledger, order, number);
    const decision = world.rules.refund(order, input, now);
    if (isRefused(decision) || !flag) return decision;
    const refunds = decision.next.refunds.map((one) =>
      one.id === key && one.provider === undefined
        ? { ...one, provider: 'stripe' as const, status: 'pending' as const }
        : one,
    );
    return decision.next === order ? decision : { ...decision, next: { ...decision.next, refunds } };
  });
}

/** What a provider says of a refund, again or later. */
function* report(world: World, { id }: Command, { number, flag }: Event): Steps {
  let refundId = '';
  const status = flag ? 'failed' : 'done';
  const written = () => void (flag && world.ledgerOf(id).failed.add(refundId));
  const rule: Rule = (order, now) => {
    const byProvider = order.refunds.filter(({ provider }) => provider !== undefined);
    refundId = byProvider[number % Math.max(1, byProvider.length)]?.id ?? 'ref_none';
    return world.rules.recordRefundReport(order, { refundId, status, reference: null }, now);
  };
  yield* sellIfDue(world, yield* runCommand(world, { id, written }, rule));
}
