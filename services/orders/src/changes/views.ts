import { registry } from '@boxoffice/envelope';
import type { Static } from 'typebox';
import { toFault } from '../api/faults.ts';
import { formatInstant, formatInstantOrNull, toReturnPolicyView } from '../api/views.ts';
import type { ChangeRefusal } from '../domain/changes/check.ts';
import { toShownFigures } from '../domain/changes/paying.ts';
import type { Change, Order } from '../domain/order/order.ts';
import { computeBase, listLineTaxes } from '../domain/price.ts';
import type { ChangeDraft } from './draft.ts';
import type * as schemas from './schemas.ts';

export function toChangeView(order: Order, change: Change): Static<typeof schemas.Change> {
  const { id, state, reason, refundId, settlement } = change;
  const { difference, fee, due, credit } = toShownFigures(order, change);
  return {
    ...{ id, orderId: order.id, state, reason },
    returns: change.returns.map((one) => ({ lineId: one.lineId, reason: one.reason, fee: one.fee })),
    exchanges: change.exchanges.map((one) => ({ lineId: one.lineId, newLineId: one.newLineId, fee: one.fee })),
    ...{ difference, fee, due, credit, refundId },
    expiresAt: state === 'pending' ? formatInstantOrNull(change.deadline ?? change.expiresAt) : null,
    createdBy: change.createdBy ?? null,
    createdAt: formatInstant(change.createdAt),
    doneAt: formatInstantOrNull(change.doneAt),
    settlement: {
      ticketsCancelled: settlement.ticketsCancelled,
      controlled: settlement.controlled,
      placesReleased: settlement.placesReleased,
      settledAt: formatInstantOrNull(settlement.settledAt),
    },
  };
}

/** Of the first step that refuses it. */
export function listQuoteRefusals({ refusals, placeRefusals }: ChangeDraft): readonly ChangeRefusal[] {
  const [first] = placeRefusals;
  return refusals.length > 0
    ? refusals
    : placeRefusals.filter(({ refusal }) => refusal.reason === first?.refusal.reason);
}

/** The figures are null while references are unknown. */
export function toQuoteView(draft: ChangeDraft): Static<typeof schemas.ChangeQuote> {
  const { difference, fee, due, credit, newLines } = draft;
  const refusals = listQuoteRefusals(draft);
  const known = draft.hasUnknown
    ? { difference: null, fee: null, due: null, credit: null, lines: null }
    : { difference, fee, due, credit, lines: newLines.map(toNewLineView) };
  return { available: refusals.length === 0, ...known, refusals: refusals.map(toRefusalView) };
}

const toNewLineView = (line: ChangeDraft['newLines'][number]) => ({
  lineId: line.replaces ?? '',
  performanceId: line.performanceId,
  seatCategoryId: line.seatCategoryId,
  tariffId: line.tariffId,
  base: computeBase(line),
  components: [...(line.price?.components ?? [])],
  amount: line.amount,
  taxes: [...listLineTaxes(line)],
  returnPolicy: toReturnPolicyView(line),
});

const toRefusalView = ({ lineId, refusal }: ChangeRefusal) => {
  const { code, details } = toFault(refusal);
  return { lineId, status: registry[code].status, details };
};
