import { Fault } from '@boxoffice/envelope';
import type { OrdersContext } from '../context.ts';

/** What is wrong with the number, by its path: nothing if there is none, or it is that of a contact. @throws Fault `service_unavailable` */
export const contactFaults = async (
  context: OrdersContext,
  institution: string,
  contactNumber: string | null | undefined,
): Promise<string[]> =>
  contactNumber === null || contactNumber === undefined || (await context.contacts.exists(institution, contactNumber))
    ? []
    : [`$.contactNumber: there is no contact ${contactNumber}`];

/** @throws Fault `semantically_invalid` unless the number, if there is one, is that of a contact; `service_unavailable` */
export const requireContact = async (
  context: OrdersContext,
  institution: string,
  contactNumber: string | null | undefined,
): Promise<void> => {
  const [fault] = await contactFaults(context, institution, contactNumber);
  if (fault) throw new Fault('semantically_invalid', `${fault}.`);
};
