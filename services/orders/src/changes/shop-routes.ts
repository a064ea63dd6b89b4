import { type AnyOperation, id, ok, operation } from '@boxoffice/http';
import * as example from '../api/examples.ts';
import { answerOutcome } from '../cart/routes.ts';
import { Outcome } from '../cart/schemas.ts';
import type { OrdersContext } from '../context.ts';
import { findShopReason, type Reason } from '../domain/decisions.ts';
import { deriveId } from '../ids.ts';
import { endChange } from './end.ts';
import * as examples from './examples.ts';
import { quoteChange } from './quote.ts';
import { readChangeInput } from './routes.ts';
import { changeForShopper } from './shop.ts';
import { ShopChangeInput, ShopChangeOutcome, ShopChangeQuote, ShopChangeQuoteInput } from './shop-schemas.ts';
import { listQuoteRefusals, toQuoteView } from './views.ts';

const changes = {
  path: '/internal/shop/orders/{orderId}/changes',
  params: { orderId: id },
  method: 'post',
  access: 'internal',
  withoutIdempotency: true,
} as const;
const NO_SCOPES = { scopes: [] };
const keptTariffs: readonly Reason[] = ['tariff_locked', 'tariff_not_accessible', 'tariff_not_sold_here'];

/** Refusals are data. */
export function createShopChangeRoutes(context: OrdersContext): AnyOperation[] {
  return [
    operation({
      ...changes,
      path: `${changes.path}/quotes`,
      id: 'quoteShopChange',
      summary: "Answers what a shopper's change of an order would cost now, and why it would be refused",
      body: ShopChangeQuoteInput,
      answers: { 200: ShopChangeQuote },
      example: { params: example.params, body: examples.quoteInput, answer: examples.shopQuote },
      handle: async ({ caller: { institution }, params: { orderId }, body }) => {
        const wanted = readChangeInput(NO_SCOPES, body);
        const maker = { sellsToAnybody: false, over: body.over };
        const draft = await quoteChange(context, { institution, orderId }, wanted, maker);
        const refused = listQuoteRefusals(draft).map(({ lineId, refusal: { reason, details } }) => ({
          ...{ lineId, reason: findShopReason(reason) ?? 'not_changeable', details },
        }));
        // A tariff that he may not have is to him like one that never existed: no figure tells its price.
        const isKept = draft.placeRefusals.some(({ refusal: { reason } }) => keptTariffs.includes(reason));
        return ok({ ...toQuoteView({ ...draft, hasUnknown: draft.hasUnknown || isKept }), refusals: refused });
      },
    }),
    operation({
      ...changes,
      id: 'changeShopOrder',
      summary: "Returns and exchanges lines of a shopper's order; a repeat returns the same change",
      body: ShopChangeInput,
      answers: { 200: ShopChangeOutcome },
      example: { params: example.params, body: examples.shopInput, answer: examples.shopDone },
      handle: async ({ caller: { institution }, params: { orderId }, body: { requestId, ...wanted } }) => {
        readChangeInput(NO_SCOPES, wanted);
        const target = { institution, orderId };
        const changeId = deriveId('chg', orderId, requestId);
        const outcome = await answerOutcome(context, target, () => changeForShopper(context, target, changeId, wanted));
        return ok({ ...outcome.data, changeId });
      },
    }),
    operation({
      ...changes,
      path: `${changes.path}/{changeId}/ending`,
      params: { orderId: id, changeId: id },
      id: 'endShopChange',
      summary: "Ends a shopper's change that is pending: it lapses",
      answers: { 200: Outcome },
      example: { params: { ...example.params, changeId: examples.change.id }, answer: example.orderDone },
      handle: ({ caller: { institution }, params: { orderId, changeId } }) => {
        const target = { institution, orderId };
        return answerOutcome(context, target, () => endChange(context, target, changeId));
      },
    }),
  ];
}
