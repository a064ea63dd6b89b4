import type { HeldLine } from '../clients/stock.ts';
import type { OrdersContext } from '../context.ts';
import { unmetCriteria } from '../domain/details.ts';
import { refusal } from '../faults.ts';

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
