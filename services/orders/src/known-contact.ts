import { Fault } from '@boxoffice/envelope';
import type { Desk } from './desk.ts';

/** @throws Fault `semantically_invalid` unless the number, if there is one, is that of a contact; `service_unavailable` */
export const requireContact = async (
  desk: Desk,
  institution: string,
  contactNumber: string | null | undefined,
): Promise<void> => {
  if (contactNumber === null || contactNumber === undefined) return;
  if (await desk.contacts.exists(institution, contactNumber)) return;
  throw new Fault('semantically_invalid', `$.contactNumber: there is no contact ${contactNumber}.`);
};
