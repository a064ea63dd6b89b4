import type { OrdersContext } from '../context.ts';
import type { ChangeInput } from '../domain/changes/check.ts';
import { findLimitRefusal } from '../saga/hold-limit.ts';
import { findOrder } from '../saga/sell.ts';
import type { Target } from '../saga/write.ts';
import { type ChangeDraft, type ChangeMaker, draftChange } from './draft.ts';
import { listFresh } from './new-lines.ts';

/** Nothing is held. @throws Fault `not_found`, `service_unavailable` */
export async function quoteChange(
  context: OrdersContext,
  target: Target,
  input: ChangeInput,
  maker: ChangeMaker,
): Promise<ChangeDraft> {
  const order = await findOrder(context, target);
  const controlled = (await context.tickets.controlled(target.institution, target.orderId)) ?? [];
  const draft = await draftChange(context, order, { ...input, id: context.newId('chg'), maker, controlled });
  const fresh = listFresh(order, input.exchanges).length;
  const limited = fresh > 0 && (await findLimitRefusal(context.limit, order, fresh));
  return limited ? { ...draft, placeRefusals: [{ lineId: null, refusal: limited }, ...draft.placeRefusals] } : draft;
}
