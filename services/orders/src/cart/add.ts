import { UniqueViolation } from '@boxoffice/store';
import type { Static } from 'typebox';
import { refusal } from '../api/faults.ts';
import type { HeldLine } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { unmetCriteria } from '../domain/details.ts';
import { holdAndInsert } from '../orders/create.ts';
import { addOrderLines } from '../orders/lines.ts';
import { visitorAt } from '../steps/hold-limit.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import type { Addition } from './schemas.ts';

/**
 * Requires that the contact meets the criteria of the tariffs; without criteria no contact is needed. @throws Fault
 * `tariff_not_accessible` as a refusal of the rules, `service_unavailable`
 */
export const permitTariff = async (
  context: Pick<OrdersContext, 'contacts'>,
  institution: string,
  contactNumber: string | undefined,
  tariffs: readonly Pick<HeldLine, 'criterion'>[],
): Promise<void> => {
  if (tariffs.every(({ criterion }) => criterion === null)) return;
  const criteria = contactNumber === undefined ? [] : await context.contacts.criteria(institution, contactNumber);
  const unmet = unmetCriteria(tariffs, criteria ?? []);
  if (unmet.length === 0) return;
  throw refusal('tariff_not_accessible', `The tariff needs the number of a contact with ${unmet.join(' and ')}.`);
};

/** As {@link permitTariff} for the lines of several items, each with its own contact. */
export const permitTariffs = async (
  context: Pick<OrdersContext, 'contacts'>,
  institution: string,
  items: readonly { readonly contactNumber?: string }[],
  lines: readonly Pick<HeldLine, 'criterion' | 'item'>[],
): Promise<void> => {
  for (const [index, { contactNumber }] of items.entries()) {
    const own = lines.filter(({ item }) => item === index);
    await permitTariff(context, institution, contactNumber, own);
  }
};

/** A visitor's items for a cart. `request`: its id, a repeat adds nothing. */
export type CartAddition = Target &
  Pick<Static<typeof Addition>, 'pointOfSale' | 'address' | 'items'> & { readonly request: string };

/**
 * Adds places to a cart, which is created if no document has the id: all places are held, or none. Of several first
 * requests one creates the cart, and the others add to it. @throws Fault as for an order's lines, and for each
 * refusal of the rules
 */
export const addToCart = async (context: OrdersContext, addition: CartAddition): Promise<OrderDocument> => {
  const { institution, orderId, request, pointOfSale, address, items } = addition;
  const permit = (lines: readonly HeldLine[]) => permitTariffs(context, institution, items, lines);
  const add = () => addOrderLines(context, { institution, orderId, request, appliesTo: 'carts' }, items, permit);
  if (await context.orders.of(institution).get(orderId)) return add();
  const visitor = { institution, client: visitorAt(institution, address) };
  const creation = { id: orderId, request, cart: true, permit };
  try {
    return await holdAndInsert(context, visitor, { pointOfSale, items }, creation);
  } catch (error) {
    // Another request has created it; what this one holds is found by its addition.
    if (error instanceof UniqueViolation) return add();
    throw error;
  }
};
