import { PosFault } from '@boxoffice/envelope';
import { createLineSchema, emailSchema, named, oneOf } from '@boxoffice/http';
import { flag, type Setting, SettingsFault } from '@boxoffice/runtime';
import type { BestEffort } from '@boxoffice/service';
import { type Static, Type } from 'typebox';
import type { PointOfSale } from '../clients/catalog.ts';
import type { Contacts } from '../clients/contacts.ts';
import { ordersValues } from '../clients/generated/orders.ts';
import type { Buyer, Order } from '../clients/orders.ts';
import type { Payments } from '../clients/payments.ts';
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

/** Those of v1, for good: the others are names of payment providers. */
const ownMethods = ['on_account', 'external', 'simulated'] as const;

export type Provider = Exclude<Purchase['paymentMethod'], (typeof ownMethods)[number]>;

export function isProvider(method: Purchase['paymentMethod']): method is Provider {
  return !ownMethods.some((own) => own === method);
}

interface Accepting {
  readonly simulated: () => SimulatedPayments;
  readonly payments: Payments | undefined;
}

/** The methods of the point of sale that a checkout accepts now. */
export function listAcceptedMethods(
  { simulated, payments }: Accepting,
  { paymentMethods, demo }: Pick<PointOfSale, 'paymentMethods' | 'demo'>,
): Method[] {
  const taken = simulated();
  const isSimulated = taken === 'always' || (taken === 'demo data' && demo);
  return paymentMethods.filter((method) =>
    method === 'simulated' ? isSimulated : payments !== undefined || !isProvider(method),
  );
}

/** @throws {PosFault} payment_method_not_accepted */
export function requireMethod(context: Accepting, { pointOfSale }: Visit, method: string): void {
  if (listAcceptedMethods(context, pointOfSale).some((accepted) => accepted === method)) return;
  throw new PosFault('payment_method_not_accepted', `The point of sale does not accept the payment method ${method}.`);
}

const name = Type.Optional(createLineSchema({ maxLength: 100 }));

const Guest = named(
  'Guest',
  Type.Object(
    { firstName: name, lastName: name, email: emailSchema },
    { minProperties: 2, description: 'a buyer without a login; one of the names is enough' },
  ),
);

const paymentToken = Type.Optional(
  oneOf(ordersValues['Checkout.paymentToken'], { description: 'for `simulated`: the outcome of the payment' }),
);

const ofPurchase = {
  contactNumber: Type.Optional(contactNumber),
  contact: Type.Optional(Guest),
  paymentMethod: oneOf(ownMethods, { description: 'one of the point of sale' }),
  paymentToken,
};

export const Purchase = named('ShopOrderInput', Type.Object(ofPurchase));

export const providerPayment = {
  paymentMethod: oneOf(ordersValues['Checkout.paymentMethod'], {
    description: 'one of the point of sale; with the name of a provider the buyer pays on its page',
  }),
  returnUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        'where the buyer comes back to from the page of a provider, unchanged: below an origin of `returnUrls` of ' +
        'the point of sale, or of this installation; absent: the page of the order in the shop of this product',
    }),
  ),
};

/** Of a change, which may cost nothing. */
export const changePayment = {
  ...providerPayment,
  paymentMethod: Type.Optional(providerPayment.paymentMethod),
  paymentToken,
};

export const ExperimentalPurchase = named(
  'ShopOrderInputExperimental',
  Type.Object({
    ...ofPurchase,
    ...providerPayment,
    termsAccepted: Type.Optional(
      Type.Literal(true, {
        description: 'the buyer accepts the terms of the point of sale, which may require it; recorded with the order',
      }),
    ),
  }),
);
export type Purchase = Static<typeof ExperimentalPurchase>;

/** @throws {PosFault} payment_method_not_accepted, bad_request */
export function requirePayment(
  context: Accepting,
  visit: Visit,
  { paymentMethod, paymentToken: token }: Pick<Purchase, 'paymentMethod' | 'paymentToken'>,
): void {
  requireMethod(context, visit, paymentMethod);
  if (paymentMethod === 'simulated' && token === undefined)
    throw new PosFault('bad_request', '$.paymentToken is required with the payment method simulated.');
}

/** @throws {PosFault} */
export function requireBuyer(context: Accepting, visit: Visit, purchase: Purchase): void {
  const { contactNumber, contact } = purchase;
  if (contactNumber !== undefined) requireContact(visit, contactNumber);
  if (contactNumber === undefined && contact === undefined) {
    throw new PosFault('contact_required', 'An order needs $.contactNumber, or $.contact of a guest.');
  }
  if (contactNumber !== undefined && contact !== undefined) {
    throw new PosFault('validation_error', 'An order has either $.contactNumber or $.contact, not both.');
  }
  requirePayment(context, visit, purchase);
}

/** @throws {PosFault} terms_required */
export function requireTerms({ pointOfSale }: Visit, { termsAccepted }: Purchase): void {
  if (pointOfSale.requireTerms && !termsAccepted)
    throw new PosFault(
      'terms_required',
      'The point of sale sells to who accepts its terms: $.termsAccepted must be true.',
    );
}

/** Orders creates the contact of a guest only after it accepts the checkout. */
export function toBuyer({ language }: Visit, { contactNumber, contact }: Purchase): Buyer {
  return contact
    ? { guest: { ...toNames(contact), email: contact.email, ...(language === '' ? {} : { language }) } }
    : { contactNumber: String(contactNumber) };
}

/** The buyer's address, for the page of a provider; undefined while contacts does not say it. */
export async function findEmail(
  { contacts, bestEffortContacts }: { readonly contacts: Contacts; readonly bestEffortContacts: BestEffort },
  institution: string,
  { contactNumber }: Pick<Order, 'contactNumber'> | Pick<Buyer, 'contactNumber'>,
): Promise<string | undefined> {
  if (contactNumber == null) return undefined;
  return (await bestEffortContacts(() => contacts.own(institution, contactNumber)))?.email ?? undefined;
}

/** A single name is the last name. */
const toNames = ({ firstName, lastName }: Static<typeof Guest>) =>
  firstName === undefined || lastName === undefined
    ? { lastName: String(lastName ?? firstName) }
    : { firstName, lastName };
