import { type Fault, registry } from '@boxoffice/envelope';
import { type AnyOperation, ok, operation } from '@boxoffice/http';
import { type Caller, computeRestriction } from '@boxoffice/identity';
import type { Static } from 'typebox';
import * as example from '../api/examples.ts';
import { createRefusalFault, toFault } from '../api/faults.ts';
import { NewOrder, OrderQuote } from '../api/schemas.ts';
import { toReturnPolicyView } from '../api/views.ts';
import { type ContextOf, type OrdersContext, requirePointOfSale } from '../context.ts';
import { checkTariffAccess } from '../domain/buyer.ts';
import { checkTotal } from '../domain/one-call.ts';
import { computePrice, toBuyer } from '../domain/price.ts';
import { listCodeRefusals } from '../domain/price-checks.ts';
import { findLimitRefusal } from '../saga/hold-limit.ts';
import { readNamedContact } from './buyer.ts';
import { isSoldAtOnce, type Maker, type OrderRequest, requireSaleInput, toGuesser, toMaker } from './create.ts';
import { checkPlaceLimit, checkSingleCurrency, countPlaces, requireBeneficiaries, toStockItems } from './items.ts';
import { buildDraftLines, readPricing, toUnknownCodes } from './prices.ts';

type Quote = Static<typeof OrderQuote>;
type Refused = Quote['refusals'][number];

export function createQuoteRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      id: 'quoteOrder',
      method: 'post',
      path: '/svc/v3/orders/quotes',
      access: 'orders:read',
      admits: ['customer'],
      summary: 'Answers what an order would cost now, and every reason why it would be refused; nothing is held',
      description:
        'The body is that of a new order. `lines` has one entry per place of each item that has a price; `refusals` ' +
        'each 409 and 422 that `POST /svc/v3/orders` would answer, `item` the index of the item, null for the whole. ' +
        'Faults of form are 400. A client or a user of the role box_office bound to points of sale names one of ' +
        'them: 403 otherwise. A customer names no contact but its own, and gets what the public catalogue shows: ' +
        'everything else reads like what never existed, and places are refused only where a seat category is sold ' +
        'out.',
      body: NewOrder,
      answers: { 200: OrderQuote },
      example: { body: example.newOrder, answer: example.quote },
      handle: async ({ caller, body }) => {
        requirePointOfSale(caller, body.pointOfSale);
        requireBeneficiaries(body.items);
        requireSaleInput(caller, body);
        const context = contextOf(caller);
        const quote = await context.guesses.guard(
          toGuesser(caller),
          body.codes,
          () => quoteOrder(context, caller, body),
          ({ codes }) => codes.filter(({ state }) => state === 'unknown').length,
        );
        // A refusal of the contact has its number: a remembered answer goes with the contact.
        return ok(quote, { subjects: body.contactNumber == null ? [] : [body.contactNumber] });
      },
    }),
  ];
}

/** Who sees the data of some contacts only sees of the catalogue what is public. @throws Fault `service_unavailable` */
const quoteOrder = async (context: OrdersContext, caller: Caller, requested: OrderRequest): Promise<Quote> => {
  const { items, pointOfSale } = requested;
  const codes = toUnknownCodes(requested.codes);
  const publicOnly = computeRestriction(caller).contacts !== null;
  const {
    quotes,
    refusals,
    pricing: book,
  } = await context.stock.quoteAll(caller.institution, {
    items: toStockItems(items),
    ...(codes && { codes: codes.map(({ code }) => code) }),
    ...(pointOfSale === undefined ? {} : { pointOfSale }),
    ...(publicOnly ? { publicOnly } : {}),
  });
  const currencies = [...new Set(quotes.map(({ currency }) => currency))];
  const maker = toMaker(caller);
  const contact = await readNamedContact(context, caller.institution, requested.contactNumber);
  const made = { pointOfSale: pointOfSale?.toLowerCase() ?? null, createdBy: maker.createdBy };
  const buyer = toBuyer(made);
  const drafts = buildDraftLines(quotes, items, book, buyer);
  const pricing = readPricing(book, buyer, requested.contactNumber === undefined ? null : contact.criteria);
  const price = computePrice({ ...made, codes, lines: drafts }, pricing, context.now());
  const { total } = price;
  const differing = requested.payment && checkTotal(requested.payment.amount, total);
  const locked = new Set(drafts.flatMap(({ item }, index) => (price.lines[index]?.locked ? [item] : [])));
  const all = [
    ...contact.faults.map((fault) => toRefused(null, createRefusalFault('invalid_reference', `${fault}.`))),
    ...(await ownRefusals(context, isSoldAtOnce(requested) ? null : maker, { places: countPlaces(items), currencies })),
    ...refusals.map(({ item, reason, details }) => toRefused(item, createRefusalFault(reason, details))),
    ...quotes.flatMap(({ item, criterion }) => {
      const unmet = maker.sellsToAnybody ? undefined : checkTariffAccess([{ criterion }], contact.criteria);
      return unmet ? [toRefused(item, toFault(unmet.refused))] : [];
    }),
    ...listCodeRefusals(price).map(({ refused }) => toRefused(null, toFault(refused))),
    ...[...locked].map((item) => toRefused(item, createRefusalFault('tariff_locked'))),
    ...(differing ? [toRefused(null, toFault(differing.refused))] : []),
  ];
  const lines = drafts.flatMap((draft, index) => {
    const priced = price.lines[index];
    if (!priced) return [];
    const { item, performanceId, seatCategoryId, tariffId, amount: base } = draft;
    const { amount, components, taxes } = priced;
    const own = { item, performanceId, seatCategoryId, tariffId, base, components: [...components], amount };
    return [{ ...own, taxes: [...taxes], returnPolicy: toReturnPolicyView({ ...draft, amount }) }];
  });
  return {
    available: all.length === 0,
    currency: currencies.length === 1 ? (currencies[0] ?? null) : null,
    total,
    lines,
    fees: price.fees.map(({ id: feeId, name, amount, taxes }) => ({ feeId, name, amount, taxes: [...taxes] })),
    taxes: [...price.taxes],
    codes: [...price.codes],
    refusals: all,
  };
};

const toRefused = (item: number | null, fault: Fault): Refused => ({
  item,
  status: registry[fault.code].status,
  details: fault.details,
});

/** The order's own refusals, but those of its contact: size, currency, and its maker's limit of held places. */
const ownRefusals = async (
  context: OrdersContext,
  maker: Maker | null,
  { places, currencies }: { readonly places: number; readonly currencies: readonly string[] },
): Promise<Refused[]> => {
  const found: Refused[] = [];
  const several = checkSingleCurrency(currencies);
  if (several) found.push(toRefused(null, several));
  const tooMany = checkPlaceLimit(places);
  if (tooMany) return [...found, toRefused(null, tooMany)];
  const limited = maker && (await findLimitRefusal(context.limit, maker, places));
  return limited ? [...found, toRefused(null, limited)] : found;
};
