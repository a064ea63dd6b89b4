import { UniqueViolation } from '@boxoffice/store';
import type { HeldLine, RequestedItem } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { newDraft } from '../domain/opening.ts';
import { isAbandoned } from '../domain/order/pending-step.ts';
import { refusal } from '../faults.ts';
import { requestNameOf } from '../ids.ts';
import { addOrderLines } from '../lines/lines.ts';
import { anewIfAbandoned, openDraft } from '../orders/create.ts';
import { placesWanted } from '../orders/items.ts';
import { visitorAt } from '../steps/hold-limit.ts';
import { type Tried, whileBusy } from '../steps/wait.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import { permitTariffs } from './criteria.ts';

/** A requested item of a visitor. The tariff's criterion is checked against the contact `contactNumber`. */
export interface CartItem extends RequestedItem {
  readonly contactNumber?: string;
}

/** The request of a visitor to add items to a cart. */
export interface CartAddition extends Target {
  /** The request id: a repeat adds nothing. */
  readonly request: string;
  readonly pointOfSale: string;
  /** The visitor's address: held places are limited per address. */
  readonly address: string;
  readonly items: readonly CartItem[];
}

const requestedItem = ({ contactNumber: _, ...requested }: CartItem): RequestedItem => requested;

/**
 * The draft of the cart: a new one, or the one that an earlier attempt of this request left. Undefined if another
 * request owns the id.
 */
const drafted = async (context: OrdersContext, addition: CartAddition): Promise<OrderDocument | undefined> => {
  const { institution, orderId, request, items } = addition;
  const holder = { institution, client: visitorAt(institution, addition.address) };
  const orders = context.orders.of(institution);
  const places = placesWanted(items, 0);
  const performanceIds = items.map(({ performanceId }) => performanceId);
  const [performanceId = ''] = performanceIds;
  const details = { client: holder.client, pointOfSale: addition.pointOfSale, contactNumber: null };
  const draft = newDraft(
    {
      ...details,
      id: orderId,
      externalReference: null,
      performanceIds,
      places,
      request,
      hold: requestNameOf(undefined),
    },
    context.now(),
  );
  const owner = await context.lease.hold();
  const owned = { ...draft, performanceId, pendingStep: draft.pendingStep && { ...draft.pendingStep, owner } };
  try {
    return await context.limit.admit(holder, orderId, places, () => orders.insert(owned));
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
  }
  let resumed = false;
  const earlier = await orders.update(orderId, (current) => {
    const pending = current.pendingStep;
    resumed = current.state === 'draft' && pending?.request === request && !isAbandoned(pending);
    return resumed && pending
      ? { next: { ...current, pendingStep: { ...pending, since: context.now(), owner } } }
      : undefined;
  });
  return resumed ? earlier : undefined;
};

/** Creates the cart; undefined if another request creates or created it. @throws Fault as {@link addToCart} */
const makeCart = (context: OrdersContext, addition: CartAddition): Promise<OrderDocument | undefined> =>
  anewIfAbandoned(async (holdMs) => {
    const draft = await drafted(context, addition);
    const { institution, pointOfSale, items } = addition;
    const permit = (lines: readonly HeldLine[]) => permitTariffs(context, institution, items, lines);
    const requested = { pointOfSale, items: items.map(requestedItem) };
    return draft && openDraft(context, draft, requested, { cart: true, permit, holdMs });
  });

/**
 * Adds places to a cart, which is created if no document has the id: all places are held, or none. Of several first
 * requests one creates the cart, and the others add to it. @throws Fault as for an order's lines, and for each
 * refusal of the rules
 */
export const addToCart = async (context: OrdersContext, addition: CartAddition): Promise<OrderDocument> => {
  const { institution, orderId, request, items } = addition;
  const permit = (lines: readonly HeldLine[]) => permitTariffs(context, institution, items, lines);
  const act = async (): Promise<Tried<OrderDocument | undefined>> => {
    const there = await context.orders.of(institution).get(orderId);
    if (there && there.state !== 'draft') {
      const command = { institution, orderId, ifMatch: () => undefined, request, appliesTo: 'carts' } as const;
      return { result: await addOrderLines(context, command, items.map(requestedItem), permit) };
    }
    const mayMake = !there || there.pendingStep?.request === request;
    const result = mayMake ? await makeCart(context, addition) : undefined;
    return result ? { result } : { result, busy: there ?? null };
  };
  const cart = await whileBusy(context, act);
  if (!cart) throw refusal('busy');
  return cart;
};
