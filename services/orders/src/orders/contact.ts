import type { OrdersContext } from '../context.ts';
import { refusal } from '../faults.ts';

/**
 * The fault of a contact number, by its path; none if the number is absent or names a contact. `within`: the contacts
 * that the caller may name, null for all; another is not looked up and reads like one that never existed. @throws Fault
 * `service_unavailable`
 */
export const contactFaults = async (
  context: OrdersContext,
  institution: string,
  contactNumber: string | null | undefined,
  within: readonly string[] | null = null,
): Promise<string[]> => {
  if (contactNumber === null || contactNumber === undefined) return [];
  const isWithin = within?.includes(contactNumber) ?? true;
  if (isWithin && (await context.contacts.exists(institution, contactNumber))) return [];
  return [`$.contactNumber: there is no contact ${contactNumber}`];
};

/** @throws Fault `semantically_invalid` if the number is given and names no contact; `service_unavailable` */
export const requireContact = async (
  context: OrdersContext,
  institution: string,
  contactNumber: string | null | undefined,
): Promise<void> => {
  const [fault] = await contactFaults(context, institution, contactNumber);
  if (fault) throw refusal('invalid_reference', `${fault}.`);
};
