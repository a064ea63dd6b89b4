// A buyer's change of a confirmed order. Where something is due on the page of a provider, that comes first, as at the
// checkout: a change that waits for its payment knows it.
import { PosFault } from '@boxoffice/envelope';
import { named } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import type { ChangeQuote, Order, WantedChange } from '../clients/orders.ts';
import { changeMembers, MAX_LINES } from '../description/changes.ts';
import { listOver } from '../products/offers.ts';
import type { PosContext } from '../request/context.ts';
import type { Visit } from '../request/visit.ts';
import { changePayment, findEmail, isProvider, requirePayment } from './buyer.ts';
import { closeRefusedPage, openPage, type ProviderPage, requireReturnUrl } from './pages.ts';
import { createRefusalFault, requireDone } from './refusals.ts';

export const QuotedChange = named('ShopOrderChangeQuoteInput', Type.Object(changeMembers));

export const WantedOrderChange = named(
  'ShopOrderChangeInput',
  Type.Object({
    ...changeMembers,
    difference: Type.Integer({
      ...{ minimum: -1_000_000_000_000, maximum: 1_000_000_000_000 },
      description: 'that of the quote: nobody pays what he was not shown',
    }),
    ...changePayment,
  }),
);
type WantedOrderChange = Static<typeof WantedOrderChange>;

/** @throws {PosFault} validation_error */
export function requireLines({ returns = [], exchanges = [] }: WantedChange): void {
  const lineIds = [...returns, ...exchanges].map(({ lineId }) => lineId);
  if (lineIds.length > 0 && lineIds.length <= MAX_LINES && new Set(lineIds).size === lineIds.length) return;
  throw new PosFault('validation_error', `$.returns and $.exchanges name 1 to ${MAX_LINES} items, each of them once.`);
}

/** Performances of its new items that are over, which orders does not know. */
export async function listPerformancesOver(
  context: PosContext,
  { pointOfSale: { institution } }: Visit,
  { exchanges = [] }: WantedChange,
): Promise<string[]> {
  const performanceIds = new Set(exchanges.map(({ performanceId }) => performanceId));
  return [...(await listOver(context, institution, [...performanceIds]))];
}

/** A repeat with the same `requestId` finds the same change. @throws {PosFault} for each refusal; nothing has changed */
export async function changeOrder(
  context: PosContext,
  visit: Visit,
  order: Order,
  wanted: WantedOrderChange,
  requestId: string,
): Promise<{ readonly order: Order; readonly changeId: string }> {
  const { paymentMethod, paymentToken, returnUrl, ...change } = wanted;
  requireLines(change);
  if (paymentMethod !== undefined) requirePayment(context, visit, { paymentMethod, paymentToken });
  requireReturnUrl(visit, returnUrl);
  const { institution } = visit.pointOfSale;
  const over = await listPerformancesOver(context, visit, change);
  const page = await openPageFor(context, visit, order, { ...wanted, over }, requestId);
  const how = { ...change, over, paymentMethod, paymentToken, page };
  const outcome = await context.orders.change(institution, order.id, { requestId, ...how });
  await closeRefusedPage(context, institution, outcome, page);
  return { order: requireDone(outcome, 'change'), changeId: outcome.changeId };
}

/** Of what is due for it; undefined if nothing is to be paid on the page of a provider, or orders refuses it. */
const openPageFor = async (
  context: PosContext,
  visit: Visit,
  order: Order,
  {
    paymentMethod: provider,
    returnUrl,
    returns,
    exchanges,
    over,
    difference,
  }: WantedOrderChange & { readonly over: string[] },
  requestId: string,
): Promise<ProviderPage | undefined> => {
  if (provider === undefined || !isProvider(provider)) return undefined;
  const { institution } = visit.pointOfSale;
  const ask = () => context.orders.quoteChange(institution, order.id, { returns, exchanges, over });
  const quote = await ask();
  if (!isPayable(quote, difference)) return undefined;
  const email = await findEmail(context, institution, order);
  const paying = { provider, amount: quote.due, requestId, returnUrl, email };
  const page = await openPage(context, visit, order, paying).catch(async (error: unknown) => {
    // Another change may have come first, as orders says then.
    if (isPayable(await ask(), difference)) throw error;
    return null;
  });
  if (page === null) return undefined;
  if (!page) throw createRefusalFault('busy');
  return page;
};

const isPayable = (
  quote: ChangeQuote | undefined,
  difference: number,
): quote is ChangeQuote & { readonly due: number } =>
  quote?.available === true && quote.difference === difference && (quote.due ?? 0) > 0;
