import { PosFault } from '@boxoffice/envelope';
import { createLineSchema, emailSchema, named, oneOf } from '@boxoffice/http';
import { flag, type Setting, SettingsFault } from '@boxoffice/runtime';
import { type Static, Type } from 'typebox';
import type { PointOfSale } from '../clients/catalog.ts';
import { ordersValues } from '../clients/generated/orders.ts';
import type { Buyer } from '../clients/orders.ts';
import { contactNumber } from '../description/schemas.ts';
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

type Method = PointOfSale['paymentMethods'][number];

/** The methods of the point of sale that a checkout accepts now. */
export function listAcceptedMethods(
  taken: SimulatedPayments,
  { paymentMethods, demo }: Pick<PointOfSale, 'paymentMethods' | 'demo'>,
): Method[] {
  const isSimulated = taken === 'always' || (taken === 'demo data' && demo);
  return paymentMethods.filter((method) => method !== 'simulated' || isSimulated);
}

const name = Type.Optional(createLineSchema({ maxLength: 100 }));

const Guest = named(
  'Guest',
  Type.Object(
    { firstName: name, lastName: name, email: emailSchema },
    { minProperties: 2, description: 'a buyer without a login; one of the names is enough' },
  ),
);

/** Of v1, for good. */
const METHODS = ['on_account', 'external', 'simulated'] as const;

export const Purchase = named(
  'ShopOrderInput',
  Type.Object({
    contactNumber: Type.Optional(contactNumber),
    contact: Type.Optional(Guest),
    paymentMethod: oneOf(METHODS, { description: 'one of the point of sale' }),
    paymentToken: Type.Optional(
      oneOf(ordersValues['Checkout.paymentToken'], { description: 'for `simulated`: the outcome of the payment' }),
    ),
  }),
);
export type Purchase = Static<typeof Purchase>;

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
  if (!listAcceptedMethods(simulated, visit.pointOfSale).includes(paymentMethod)) {
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
    ? { guest: { ...toNames(contact), email: contact.email, ...(language === '' ? {} : { language }) } }
    : { contactNumber: String(contactNumber) };
}

/** A single name is the last name. */
const toNames = ({ firstName, lastName }: Static<typeof Guest>) =>
  firstName === undefined || lastName === undefined
    ? { lastName: String(lastName ?? firstName) }
    : { firstName, lastName };
