// The buyer of an order, and the tariffs that not every buyer may have.

import { faultOf } from '../api/faults.ts';
import type { HeldLine } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { inaccessible } from '../domain/details.ts';

/** The contact that a request names: its criteria, none without a contact, or the fault of its number, by its path. */
export const namedContact = async (
  { contacts }: Pick<OrdersContext, 'contacts'>,
  institution: string,
  contactNumber: string | null | undefined,
): Promise<{ readonly criteria: readonly string[]; readonly faults: readonly string[] }> => {
  const none = contactNumber === null || contactNumber === undefined;
  const criteria = none ? [] : await contacts.criteria(institution, contactNumber);
  if (criteria) return { criteria, faults: [] };
  return { criteria: [], faults: [`$.contactNumber: there is no contact ${contactNumber}`] };
};

/** Whether a token with these scopes sells every tariff to anybody. */
export const sellsToAnybody = (scopes: readonly string[]): boolean => scopes.includes('orders.sensitive:write');

/**
 * Requires that the contact meets the criteria of the tariffs; without criteria no contact is looked up. @throws Fault
 * `tariff_not_accessible` as a refusal of the rules, `service_unavailable`
 */
export const permitTariffs = async (
  context: Pick<OrdersContext, 'contacts'>,
  institution: string,
  contactNumber: string | null | undefined,
  tariffs: readonly Pick<HeldLine, 'criterion'>[],
): Promise<void> => {
  if (!inaccessible(tariffs, [])) return;
  const refused = inaccessible(tariffs, (await namedContact(context, institution, contactNumber)).criteria);
  if (refused) throw faultOf(refused.refused);
};
