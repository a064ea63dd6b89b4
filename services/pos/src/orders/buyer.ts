import { PosFault } from '@boxoffice/envelope';
import { flag, type Setting, SettingsFault } from '@boxoffice/runtime';
import type { PointOfSale } from '../clients/catalog.ts';
import type { Buyer, Checkout, Guest } from '../clients/orders.ts';
import { requireContact, type Visit } from '../request/visit.ts';

const given = flag('SIMULATED_PAYMENTS', { optional: true });
const demoData = flag('BOXOFFICE_DEMO', { default: false });

export type SimulatedPayments = 'demo data' | 'always' | 'never';

/** If unset, points of sale of the demo data while BOXOFFICE_DEMO is on. */
export const simulatedPayments: Setting<SimulatedPayments> = {
  name: given.name,
  read(env) {
    const said = given.read(env);
    if (said !== undefined) return said ? 'always' : 'never';
    try {
      return demoData.read(env) ? 'demo data' : 'never';
    } catch (error) {
      throw new SettingsFault([`${demoData.name}: ${(error as Error).message}`]);
    }
  },
};

export function isSimulatedAccepted(taken: SimulatedPayments, { demo }: Pick<PointOfSale, 'demo'>): boolean {
  return taken === 'always' || (taken === 'demo data' && demo);
}

export interface Purchase {
  readonly contactNumber?: string;
  readonly contact?: { readonly firstName?: string; readonly lastName?: string; readonly email: string };
  readonly paymentMethod: Checkout['paymentMethod'];
  readonly paymentToken?: Checkout['paymentToken'];
}

/** @throws {PosFault} */
export function requireBuyer(visit: Visit, purchase: Purchase, simulated: SimulatedPayments): void {
  const { contactNumber, contact, paymentMethod, paymentToken } = purchase;
  if (contactNumber !== undefined) requireContact(visit, contactNumber);
  if (contactNumber === undefined && contact === undefined) {
    throw new PosFault('contact_required', 'An order needs $.contactNumber, or $.contact of a guest.');
  }
  if (contactNumber !== undefined && contact !== undefined) {
    throw new PosFault('validation_error', 'An order has either $.contactNumber or $.contact, not both.');
  }
  const isTaken = visit.pointOfSale.paymentMethods.includes(paymentMethod);
  if (!isTaken || (paymentMethod === 'simulated' && !isSimulatedAccepted(simulated, visit.pointOfSale))) {
    throw new PosFault(
      'payment_method_not_accepted',
      `The point of sale does not accept the payment method ${paymentMethod}.`,
    );
  }
  if (paymentMethod === 'simulated' && paymentToken === undefined) {
    throw new PosFault('bad_request', '$.paymentToken is required with the payment method simulated.');
  }
}

/** Orders creates the contact of a guest only after it accepts the checkout. */
export function toBuyer({ language }: Visit, { contactNumber, contact }: Purchase): Buyer {
  return contact
    ? { guest: { ...namesOf(contact), email: contact.email, ...(language === '' ? {} : { language }) } }
    : { contactNumber: String(contactNumber) };
}

/** A single name is the last name. */
const namesOf = ({ firstName, lastName }: NonNullable<Purchase['contact']>): Pick<Guest, 'firstName' | 'lastName'> =>
  firstName === undefined || lastName === undefined
    ? { lastName: String(lastName ?? firstName) }
    : { firstName, lastName };
