import { createNotFoundFault, createRefusalFault, toFault } from '../api/faults.ts';
import type { HeldLine } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { changeDetails, checkTariffAccess, hasCodes } from '../domain/buyer.ts';
import { isHidden } from '../domain/order/state.ts';
import { isComposed } from '../domain/price.ts';
import { checkPrice } from '../domain/price-checks.ts';
import { type Command, runCommand } from '../saga/command.ts';
import { issueAtOnce } from '../saga/follow-ups.ts';
import { sellIfDue } from '../saga/sell.ts';
import type { Rule } from '../saga/write.ts';
import type { OrderDocument } from '../store.ts';
import { runWithPrices, toUnknownCodes } from './prices.ts';

/** Criteria, none without a contact, or the fault of its number, by its path. */
export async function readNamedContact(
  { contacts }: Pick<OrdersContext, 'contacts'>,
  institution: string,
  contactNumber: string | null | undefined,
): Promise<{ readonly criteria: readonly string[]; readonly faults: readonly string[] }> {
  const none = contactNumber === null || contactNumber === undefined;
  const criteria = none ? [] : await contacts.criteria(institution, contactNumber);
  if (criteria) return { criteria, faults: [] };
  return { criteria: [], faults: [`$.contactNumber: there is no contact ${contactNumber}`] };
}

/** Every tariff. */
export function maySellToAnybody(scopes: readonly string[]): boolean {
  return scopes.includes('orders.sensitive:write');
}

/** @throws Fault `tariff_not_accessible` as a refusal of the rules, `service_unavailable` */
export async function permitTariffs(
  context: Pick<OrdersContext, 'contacts'>,
  institution: string,
  contactNumber: string | null | undefined,
  tariffs: readonly Pick<HeldLine, 'criterion'>[],
): Promise<void> {
  if (!checkTariffAccess(tariffs, [])) return;
  const refused = checkTariffAccess(tariffs, (await readNamedContact(context, institution, contactNumber)).criteria);
  if (refused) throw toFault(refused.refused);
}

/**
 * Changes the contact, the external reference, the codes of an open or reserved order and, until the confirmation, the
 * delivery of tickets; null removes. Its
 * tickets follow a new contact. `toAnybody`: whether tariffs may go to a contact that does not meet their criterion.
 * @throws Fault `semantically_invalid` for an unknown contact, `order_tariff_not_accessible`
 */
export async function changeOrder(
  context: OrdersContext,
  command: Command,
  {
    codes,
    ...patch
  }: Omit<Parameters<typeof changeDetails>[1], 'codes'> & {
    readonly codes?: readonly (string | { readonly code: string })[] | null;
  },
  toAnybody: boolean,
): Promise<OrderDocument> {
  const { institution, orderId, ifMatch, requireUnchanged } = command;
  const found = await context.orders.of(institution).get(orderId);
  if (!found || isHidden(found)) throw createNotFoundFault();
  ifMatch?.(String(found.version));
  requireUnchanged?.(found);
  // The present contact stays valid even if it was erased.
  const named = patch.contactNumber === found.contactNumber ? undefined : patch.contactNumber;
  const { criteria, faults } = await readNamedContact(context, institution, named);
  const [fault] = faults;
  if (fault) throw createRefusalFault('invalid_reference', `${fault}.`);
  const given = codes && toUnknownCodes(codes.map((one) => (typeof one === 'string' ? one : one.code)));
  const wanted = codes === undefined ? undefined : (given ?? []);
  const change = { ...patch, ...(wanted && { codes: wanted }) };
  const rule =
    (price?: (order: OrderDocument) => OrderDocument): Rule =>
    (current, now) =>
      changeDetails(current, change, now, { ...(toAnybody ? {} : { criteria }), ...(price && { price }) });
  const checksCodes = wanted !== undefined && !hasCodes(found, wanted);
  const isPriced = checksCodes || (isComposed(found) && named !== undefined);
  const { order } = isPriced
    ? await runWithPrices(context, command, rule, checksCodes ? { check: checkPrice } : {})
    : await runCommand(context, command, rule());
  await issueAtOnce(context, order);
  return order.saleDue ? sellIfDue(context, order) : order;
}
