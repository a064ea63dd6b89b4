import { Fault } from '@boxoffice/envelope';
import { type Stamp, UniqueViolation } from '@boxoffice/store';
import type { Held, Wish } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { newDraft, open } from '../domain/opening.ts';
import { isRefused, type Refusal } from '../domain/order/decision.ts';
import { faultOf, isUnavailable } from '../faults.ts';
import { derivedId, requestNameOf } from '../ids.ts';
import { isAborted, isOffSale } from '../steps/aborted.ts';
import { abortDraft, deleteDraft, holdNameOf, releaseDraft } from '../steps/draft.ts';
import type { Holder } from '../steps/hold-limit.ts';
import { stepStock } from '../steps/stock.ts';
import { working } from '../steps/working.ts';
import { doneBy } from '../steps/write.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import { contactFaults } from './contact.ts';
import { currencyOf, linesOf, placesWanted, quantityFaults, refusalOf } from './items.ts';

/** What a new order wants. */
export interface OrderRequest {
  readonly contactNumber?: string;
  readonly pointOfSale?: string;
  readonly externalReference?: string;
  readonly items: readonly Wish[];
}

/** The draft that an earlier try of the same request left, made this one's; undefined if it is no draft any more or is being dropped. */
const resumeDraft = async (
  context: OrdersContext,
  { institution }: Holder,
  id: string,
): Promise<OrderDocument | undefined> => {
  const owner = await context.lease.hold();
  let mine = false;
  const draft = await context.orders.of(institution).update(id, (current) => {
    mine = current.state === 'draft' && current.begun !== null && !isAborted(current.begun.request);
    const begun = current.begun && { ...current.begun, since: context.now(), owner };
    return mine ? { next: { ...current, begun } } : undefined;
  });
  return mine ? draft : undefined;
};

/**
 * The draft of the order, durable before anything is held, so that a crash leaves word of it. With an idempotency key its id
 * follows from the key: a repeat after a crash finds it, and through it the places that it holds.
 */
const drafted = async (
  context: OrdersContext,
  holder: Holder,
  requested: OrderRequest,
  places: number,
  stamp: Stamp<OrderDocument> | undefined,
): Promise<OrderDocument> => {
  const { institution, client } = holder;
  const performanceIds = requested.items.map(({ performanceId }) => performanceId);
  const [performanceId = ''] = performanceIds;
  const asked = {
    client,
    pointOfSale: requested.pointOfSale ?? null,
    contactNumber: requested.contactNumber ?? null,
    externalReference: requested.externalReference ?? null,
    performanceIds,
    places,
  };
  /** Undefined if the id is taken by what is no draft of this request any more. */
  const insert = async (id: string): Promise<OrderDocument | undefined> => {
    const request = requestNameOf(undefined);
    const { begun, ...draft } = newDraft({ ...asked, id, request, hold: request }, context.now());
    const owned = { ...draft, performanceId, begun: begun && { ...begun, owner: await context.lease.hold() } };
    try {
      return await context.limit.admit(holder, id, places, () => context.orders.of(institution).insert(owned));
    } catch (error) {
      if (error instanceof UniqueViolation) return resumeDraft(context, holder, id);
      throw error;
    }
  };
  const own = stamp && (await insert(derivedId('ord', stamp.key, stamp.fingerprint)));
  const draft = own ?? (await insert(context.newId('ord')));
  if (!draft) throw new Error('a new id was taken');
  return draft;
};

/**
 * Holds the places of a draft. Refused, the draft is deleted; of an unknown outcome, it is dropped.
 * @throws Fault as the catalog refuses, `service_unavailable`
 */
export const holdFor = async (
  context: OrdersContext,
  draft: OrderDocument,
  { items, pointOfSale }: Pick<OrderRequest, 'items' | 'pointOfSale'>,
): Promise<Held> => {
  await linkPerformances(context.links.of(draft.institution), draft, draft.performanceIds);
  try {
    return await stepStock(context, draft).hold({
      requestId: holdNameOf(draft),
      items,
      ...(pointOfSale === undefined ? {} : { pointOfSale }),
    });
  } catch (error) {
    // Refused: nothing is held, but for what an earlier try holds whose draft was taken up. Unknown: whatever is held is given
    // back, by recovery if need be.
    if (!isUnavailable(error)) await (draft.version > 1 ? releaseDraft : deleteDraft)(context, draft);
    else
      abortDraft(context, draft).catch((failure) =>
        context.log.warn('a draft could not be given up', { error: failure }),
      );
    throw error;
  }
};

/** Why a draft could not be opened: its performance was cancelled meanwhile, or it took so long that recovery gave it up. */
const lost = (draft: OrderDocument | undefined): Fault =>
  draft?.begun && isOffSale(draft.begun.request)
    ? new Fault('order_not_on_sale', 'The performance was cancelled.')
    : new Fault('service_unavailable', 'The order could not be made in time.', { 'Retry-After': '1' });

/**
 * draft → open: the write that makes the order one, with the answer that a repeat gets; a cart remembers its request instead.
 * @throws Fault as the rules refuse, `service_unavailable` if the draft was given up meanwhile
 */
export const opened = async (
  context: OrdersContext,
  draft: OrderDocument,
  request: string,
  held: Held,
  { stamp, cart = false }: { readonly stamp?: Stamp<OrderDocument> | undefined; readonly cart?: boolean },
): Promise<OrderDocument> => {
  const hold = {
    request,
    lines: linesOf(held.lines, context.newId),
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
      const next = { ...decision.next, pointOfSale: held.pointOfSale };
      return { next: cart ? doneBy(next, request) : next };
    },
    { stamp },
  );
  if (refused && refused.reason !== 'step_lost') throw faultOf(refused);
  if (refused || !order) throw lost(order);
  return order;
};

/**
 * Creates an order: all its places are held, or none. Counts against the client's limit before anything is held.
 * @throws Fault as the catalog refuses, `order_hold_limit`, `semantically_invalid` (unknown contact, several currencies),
 * `service_unavailable`
 */
export const createOrder = async (
  context: OrdersContext,
  holder: Holder,
  requested: OrderRequest,
  stamp: Stamp<OrderDocument> | undefined,
): Promise<OrderDocument> => {
  const faults = [
    ...(await contactFaults(context, holder.institution, requested.contactNumber)),
    ...quantityFaults(requested.items),
  ];
  if (faults.length > 0) throw await refusalOf(context, holder.institution, requested, faults);
  const places = placesWanted(requested.items, 0);
  const draft = await drafted(context, holder, requested, places, stamp);
  const request = draft.begun?.request ?? '';
  return working(context, draft, async () => {
    const held = await holdFor(context, draft, requested);
    try {
      const order = await opened(context, draft, request, held, { stamp });
      context.limit.record(holder, order.id, order.heldPlaces);
      return order;
    } catch (error) {
      if (error instanceof Fault) await releaseDraft(context, draft);
      throw error;
    }
  });
};
