import { randomBytes } from 'node:crypto';
import { waitUntil } from '@boxoffice/testkit';
import type { CallOptions, Composition } from './composition.ts';

/** A contact with an order at a point of sale, paid and issued, and everything that names them. */
export interface Sold {
  /** The values of path parameters that name it. */
  readonly params: Readonly<Record<string, string>> & { readonly orderId: string; readonly ticketId: string };
  /** The same parameters with ids that never existed. */
  readonly unknown: { readonly params: Readonly<Record<string, string>> };
  readonly contactNumber: string;
  readonly pointOfSale: string;
  readonly externalReference: string;
  readonly barcode: string;
  readonly email: string;
  /** Texts that only an answer about the order, its payments or tickets has. */
  readonly ofSale: readonly string[];
  /** Texts that only an answer about the contact has. */
  readonly ofContact: readonly string[];
  /** Which none but admin and manager see. */
  readonly discountCode: string;
  /** Texts that only the institution's view of its catalogue and sales channels has. */
  readonly ofInstitution: readonly string[];
  /** As the institution sees it now. */
  read(): Promise<{ readonly sale: unknown; readonly contact: unknown }>;
}

/** Sells one place to a new contact at a new point of sale. */
export async function sell({ call }: Pick<Composition, 'call'>, what: string): Promise<Sold> {
  const mark = `${what}-${random()}`;
  const made = async (id: string, options: CallOptions) => {
    const { status, text, data } = await call(id, options);
    if (status !== 200 && status !== 201) throw new Error(`${id}: ${status} ${text}`);
    return data;
  };
  const email = `${mark}@example.org`;
  const { contactNumber } = await made('createIndividual', {
    body: { lastName: `Last-${mark}`, firstName: `First-${mark}`, email, phone: `phone ${mark}` },
  });
  const tariff = await made('createTariff', { body: { code: mark, name: { fr: 'Plein tarif' } } });
  const rule = { code: mark, name: { fr: 'Frais' } };
  const tax = await made('createTax', { body: { ...rule, rate: '2.6' } });
  const fee = await made('createFee', { body: { ...rule, per: 'order', amount: 100, state: 'paused' } });
  const discountBody = { name: rule.name, trigger: 'code', effect: { amount: 1 }, limits: { uses: 5 } };
  const discount = await made('createDiscount', { body: discountBody });
  const code = mark.toUpperCase();
  await made('createDiscountCodes', { params: { discountId: String(discount.id) }, body: { codes: [{ code }] } });
  const pointOfSale = `${mark}.example`;
  await made('createPointOfSale', {
    body: {
      serviceHost: pointOfSale,
      name: `Till ${mark}`,
      languages: ['fr'],
      currency: 'CHF',
      tariffIds: [tariff.id],
      paymentMethods: ['on_account'],
      maxPlacesPerOrder: 10,
      holdMinutes: 15,
      ticketDelivery: 'print',
    },
  });
  const product = await made('createProduct', {
    body: {
      code: mark,
      type: 'show',
      name: { fr: 'Carmen' },
      state: 'running',
      performances: [
        {
          startDate: '2099-03-14T19:30:00.000Z',
          durationMinutes: 150,
          venue: { name: 'Grande salle' },
          timeZone: 'Europe/Zurich',
          seatCategories: [{ code: 'A', name: { fr: 'Parterre' }, numbered: false, capacity: 20 }],
          prices: [{ seatCategory: 'A', tariffId: tariff.id, amount: 1_000 }],
        },
      ],
    },
  });
  const hidden = await made('createProduct', {
    body: { code: `hidden-${mark}`, type: 'show', name: { fr: `Hidden ${mark}` }, state: 'preparing' },
  });
  const [performance] = product.performances;
  const [category] = performance.seatCategories;
  const item = { performanceId: performance.id, seatCategoryId: category.id, tariffId: tariff.id };
  const externalReference = `reference-${mark}`;
  const order = await made('createOrder', { body: { contactNumber, pointOfSale, externalReference, items: [item] } });
  const { id: orderId } = order;
  const payment = await made('addPayment', {
    params: { orderId },
    more: ['orders.sensitive:write'],
    body: { method: 'card', amount: 1_000, status: 'captured', reference: `payment-${mark}` },
  });
  const { lines } = await made('getOrder', { params: { orderId } });
  const [{ id: lineId, ticketId }] = lines;
  // Where tickets does not answer in time, they are issued by the event.
  const isIssued = async () => (await made('listTickets', { query: { orderId } })).items.length > 0;
  await waitUntil(isIssued, { what: 'the ticket', withinMs: 60_000 });
  await made('printTicket', { params: { ticketId }, body: undefined });
  await made('updateTicket', {
    params: { ticketId },
    body: { beneficiary: { firstName: `Guest-${mark}`, lastName: 'Any' } },
  });
  const tickets = await made('listTickets', { query: { orderId } });
  const current = tickets.items.at(-1);
  const params = {
    contactNumber,
    orderId,
    lineId,
    ticketId: String(current.id),
    paymentId: String(payment.id),
    refundId: 'ref_0000000000000000',
    changeId: 'chg_0000000000000000',
    productId: String(product.id),
    performanceId: String(performance.id),
    tariffId: String(tariff.id),
    taxId: String(tax.id),
    feeId: String(fee.id),
    discountId: String(discount.id),
    serviceHost: pointOfSale,
  };
  const read = async () => ({
    sale: [
      await made('getOrder', { params }),
      (await made('listPayments', { params })).items,
      (await made('listTickets', { query: { orderId } })).items,
    ],
    contact: await made('getIndividual', { params }),
  });
  return {
    params,
    unknown: {
      params: {
        contactNumber: 'C0000000000ZZ',
        orderId: 'ord_00000000000000000000',
        lineId: 'lin_00000000000000000000',
        ticketId: 'tic_00000000000000000000',
        paymentId: 'pay_00000000000000000000',
        refundId: 'ref_00000000000000000000',
        changeId: 'chg_00000000000000000000',
        productId: 'prd_00000000000000000000',
        performanceId: 'prf_00000000000000000000',
        tariffId: 'trf_00000000000000000000',
        taxId: 'tax_00000000000000000000',
        feeId: 'fee_00000000000000000000',
        discountId: 'dsc_00000000000000000000',
        serviceHost: 'nowhere.example',
      },
    },
    contactNumber,
    pointOfSale,
    externalReference,
    barcode: String(current.barcode),
    email,
    ofSale: [
      orderId,
      lineId,
      externalReference,
      ...tickets.items.flatMap(({ id, barcode }: { id: string; barcode: string }) => [id, barcode]),
      `payment-${mark}`,
      `Guest-${mark}`,
    ],
    ofContact: [contactNumber, `Last-${mark}`, `First-${mark}`, email, `phone ${mark}`],
    // Counts of places have names that public answers lack.
    discountCode: code,
    ofInstitution: [`Till ${mark}`, String(hidden.id), `Hidden ${mark}`, '"capacity"', '"held"', '"sold"'],
    read,
  };
}

const random = (): string => randomBytes(6).toString('hex');
