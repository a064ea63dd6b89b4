import { Fault } from '@boxoffice/envelope';
import { type Caller, principalOf } from '@boxoffice/identity';
import { IdempotencyKeyTaken, type IdempotencyRecord, UniqueViolation } from '@boxoffice/store';
import { type Held, type HeldLine, HOLD_MS } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { newDraft, open } from '../domain/opening.ts';
import { isRefused, type Refusal } from '../domain/order/decision.ts';
import { handled } from '../domain/order/handled.ts';
import type { TicketDelivery } from '../domain/order/order.ts';
import { isAbandoned } from '../domain/order/pending-step.ts';
import { faultOf, isConflict, isUnavailable, refusal } from '../faults.ts';
import { idMadeBy, requestNameOf } from '../ids.ts';
import { abandonDraft, abandonUnansweredDraft, deleteRefusedDraft, holdNameOf } from '../steps/draft.ts';
import type { Holder } from '../steps/hold-limit.ts';
import { whileOwningStep } from '../steps/step-ownership.ts';
import { stepStock } from '../steps/stock.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import { contactFaults } from './contact.ts';
import { currencyOf, linesOf, type OrderItem, placesWanted, quantityFaults, refusalOf, stockItems } from './items.ts';

/** A new order as requested. */
export interface OrderRequest {
  readonly contactNumber?: string;
  readonly pointOfSale?: string;
  readonly externalReference?: string;
  /** Absent: that of the point of sale. */
  readonly ticketDelivery?: TicketDelivery;
  readonly items: readonly OrderItem[];
}

/** Whose places are counted together: the client's, or those of the user who is signed in at it. */
export const holderOf = (caller: Caller): Holder => ({ institution: caller.institution, client: principalOf(caller) });

/**
 * Takes ownership of the draft that an earlier attempt of the same request left; undefined if it is no draft any
 * more, or abandoned.
 */
const resumeDraft = async (
  context: OrdersContext,
  { institution }: Holder,
  id: string,
): Promise<OrderDocument | undefined> => {
  const owner = await context.lease.hold();
  let resumed = false;
  const draft = await context.orders.of(institution).update(id, (current) => {
    resumed = current.state === 'draft' && current.pendingStep !== null && !isAbandoned(current.pendingStep);
    const pending = current.pendingStep && { ...current.pendingStep, since: context.now(), owner };
    return resumed ? { next: { ...current, pendingStep: pending } } : undefined;
  });
  return resumed ? draft : undefined;
};

/**
 * Inserts the draft before anything is held, so that recovery finds it after a crash. With an idempotency key the
 * order's id is derived from the key: a repeat finds the draft, and through it the held places.
 */
const drafted = async (
  context: OrdersContext,
  holder: Holder,
  requested: OrderRequest,
  places: number,
  idempotencyRecord: IdempotencyRecord<OrderDocument> | undefined,
): Promise<OrderDocument> => {
  const { institution, client } = holder;
  const performanceIds = requested.items.map(({ performanceId }) => performanceId);
  const [performanceId = ''] = performanceIds;
  const details = {
    client,
    pointOfSale: requested.pointOfSale?.toLowerCase() ?? null,
    contactNumber: requested.contactNumber ?? null,
    externalReference: requested.externalReference ?? null,
    performanceIds,
    places,
  };
  /** Undefined if the id belongs to an order that is not a draft of this request. */
  const insert = async (id: string): Promise<OrderDocument | undefined> => {
    const request = requestNameOf(undefined);
    const { pendingStep: pending, ...draft } = newDraft({ ...details, id, request, hold: request }, context.now());
    const owned = {
      ...draft,
      performanceId,
      pendingStep: pending && { ...pending, owner: await context.lease.hold() },
    };
    try {
      return await context.limit.admit(holder, id, places, () => context.orders.of(institution).insert(owned));
    } catch (error) {
      if (error instanceof UniqueViolation) return resumeDraft(context, holder, id);
      throw error;
    }
  };
  const id = idMadeBy(idempotencyRecord, 'ord');
  const own = id === undefined ? undefined : await insert(id);
  // Another attempt of the request has made its order meanwhile, and has written the answer with it.
  if (idempotencyRecord && !own && (await context.answers.find(idempotencyRecord.key))) throw new IdempotencyKeyTaken();
  const draft = own ?? (await insert(context.newId('ord')));
  if (!draft) throw new Error('a new order id already exists');
  return draft;
};

/** Recovery abandoned the draft before it was opened: the process did not get to its heartbeats in time. */
class AbandonedDraft extends Fault {
  /** Whether nothing of the draft is held any more, so that its places can be held anew. */
  readonly isReleased: boolean;

  constructor({ isReleased = false } = {}) {
    super('service_unavailable', 'The order could not be made in time.', { 'Retry-After': '1' });
    this.isReleased = isReleased;
  }
}

/**
 * Whether no other process makes the order of this draft: it was abandoned, deleted after that, or is still ours, whose
 * lease has lapsed. Otherwise another process has taken it over for a repeat of the request.
 */
const isLeftAlone = async (context: OrdersContext, draft: OrderDocument): Promise<boolean> => {
  const found = await context.orders.of(draft.institution).get(draft.id);
  if (found?.pendingStep?.step !== 'create') return !found;
  return isAbandoned(found.pendingStep) || found.pendingStep.owner === draft.pendingStep?.owner;
};

/** Holds the places of a draft. After a refusal the draft is deleted; after an unknown outcome it is abandoned. */
const holdFor = async (
  context: OrdersContext,
  draft: OrderDocument,
  { items, pointOfSale }: Pick<OrderRequest, 'items' | 'pointOfSale'>,
  holdMs: number,
): Promise<Held> => {
  await linkPerformances(context.links.of(draft.institution), draft, draft.performanceIds);
  try {
    const request = {
      requestId: holdNameOf(draft),
      items: stockItems(items),
      ...(pointOfSale === undefined ? {} : { pointOfSale }),
    };
    return await stepStock(context, draft).hold(request, holdMs);
  } catch (error) {
    // Another process works on the draft, has made the order of it, or has abandoned it.
    if (isConflict(error)) throw (await isLeftAlone(context, draft)) ? new AbandonedDraft() : error;
    if (!isUnavailable(error)) await deleteRefusedDraft(context, draft);
    // The places are released here, or by recovery.
    else
      abandonUnansweredDraft(context, draft).catch((failure) =>
        context.log.warn('a draft could not be abandoned', { error: failure }),
      );
    throw error;
  }
};

/** draft → open, in one write with the answer for repeats; a cart records its request instead. */
const opened = async (
  context: OrdersContext,
  draft: OrderDocument,
  held: Held,
  { items, ticketDelivery = held.ticketDelivery }: Pick<OrderRequest, 'items' | 'ticketDelivery'>,
  { idempotencyRecord, cart = false }: Pick<OpeningOptions, 'idempotencyRecord' | 'cart'>,
): Promise<OrderDocument> => {
  const request = draft.pendingStep?.request ?? '';
  const hold = {
    request,
    lines: linesOf(held.lines, items, context.newId),
    currency: currencyOf(held.lines),
    until: Date.parse(held.heldUntil),
    cart,
  };
  let refused: Refusal | undefined;
  const order = await context.orders.of(draft.institution).update(
    draft.id,
    (current) => {
      const decision = open(current, hold, context.now());
      refused = isRefused(decision) ? decision.refused : undefined;
      if (isRefused(decision)) return undefined;
      const next = { ...decision.next, pointOfSale: held.pointOfSale, ticketDelivery };
      return { next: cart ? handled(next, request) : next };
    },
    { idempotencyRecord },
  );
  if (refused && refused.reason !== 'step_lost') throw faultOf(refused);
  if (order && !refused) return order;
  const abandoned = order?.pendingStep?.step === 'create' ? order.pendingStep.abandoned : null;
  throw abandoned === 'not_on_sale' ? refusal('not_on_sale', 'The performance was cancelled.') : new AbandonedDraft();
};

interface OpeningOptions {
  /** Longest wait for the hold, in milliseconds. */
  readonly holdMs: number;
  readonly idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined;
  /** Whether the order is a cart: not listed, and its request is recorded for repeats. */
  readonly cart?: boolean;
  /** Refuses the held lines by throwing a Fault. */
  readonly permit?: (lines: readonly HeldLine[]) => Promise<void>;
}

/**
 * Holds the places of a draft of this process and opens it. After a refusal nothing is held, and the draft is deleted.
 * @throws Fault for each refusal of the catalog and the rules, `service_unavailable`
 */
export const openDraft = (
  context: OrdersContext,
  draft: OrderDocument,
  requested: Pick<OrderRequest, 'items' | 'pointOfSale' | 'ticketDelivery'>,
  options: OpeningOptions,
): Promise<OrderDocument> =>
  whileOwningStep(context, draft, async () => {
    let held: Held | undefined;
    try {
      held = await holdFor(context, draft, requested, options.holdMs);
      await options.permit?.(held.lines);
      const order = await opened(context, draft, held, requested, options);
      context.limit.record(draft, order.id, order.heldPlaces);
      return order;
    } catch (error) {
      if (error instanceof AbandonedDraft) throw new AbandonedDraft({ isReleased: await abandonDraft(context, draft) });
      if (held && error instanceof Fault) await abandonDraft(context, draft);
      throw error;
    }
  });

/** Milliseconds since its beginning in which a creation ends: the gateway waits 15,000 for the answer. */
const MAKE_MS = 14_000;
/** Milliseconds that must be left of them to begin anew. */
const ANEW_MS = 3_000;

/**
 * Calls `make` again when recovery abandoned its draft and nothing of it is held any more: a process that was stalled
 * for some seconds sells its request's places under a new draft. `make` gets the time for its hold, in milliseconds.
 */
export const anewIfAbandoned = async <Made>(make: (holdMs: number) => Promise<Made>): Promise<Made> => {
  const deadline = performance.now() + MAKE_MS;
  const left = () => deadline - performance.now();
  for (;;) {
    try {
      return await make(Math.min(HOLD_MS, left()));
    } catch (error) {
      if (!(error instanceof AbandonedDraft && error.isReleased) || left() < ANEW_MS) throw error;
    }
  }
};

/**
 * Creates an order: all its places are held, or none. The client's limit is checked before anything is held. @throws
 * Fault for each refusal of the catalog, `order_hold_limit`, `semantically_invalid` (unknown contact, several
 * currencies), `service_unavailable`
 */
export const createOrder = async (
  context: OrdersContext,
  holder: Holder,
  requested: OrderRequest,
  idempotencyRecord: IdempotencyRecord<OrderDocument> | undefined,
): Promise<OrderDocument> => {
  const faults = [
    ...(await contactFaults(context, holder.institution, requested.contactNumber)),
    ...quantityFaults(requested.items),
  ];
  if (faults.length > 0) throw await refusalOf(context, holder.institution, requested, faults);
  const places = placesWanted(requested.items, 0);
  return anewIfAbandoned(async (holdMs) => {
    const draft = await drafted(context, holder, requested, places, idempotencyRecord);
    return openDraft(context, draft, requested, { idempotencyRecord, holdMs });
  });
};
