import { changeDetails } from '../../../src/domain/buyer.ts';
import { cancel, recordPlacesReleased, recordTicketsCancelled } from '../../../src/domain/cancellation.ts';
import { checkOut } from '../../../src/domain/cart.ts';
import { beginChange, doChange, lapseChange, listOwnStock } from '../../../src/domain/changes/change.ts';
import {
  checkSellable,
  confirm,
  confirmPaidOrder,
  giveUpSale,
  hasTickets,
  recordControl,
  recordReplacement,
} from '../../../src/domain/confirmation.ts';
import {
  addLines,
  checkLinesAddable,
  extend,
  removeLine,
  removeReleasedPlaces,
  reserve,
} from '../../../src/domain/lines.ts';
import { beginOneCallSale } from '../../../src/domain/one-call.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import { expire } from '../../../src/domain/order/state.ts';
import { addPayment, settlePayment } from '../../../src/domain/payments.ts';
import { recordRefundReport } from '../../../src/domain/provider-refunds.ts';
import { refund } from '../../../src/domain/refunds.ts';
import { conditions } from './stock.ts';

/** The rules of a history: a planted bug replaces one. */
export const rules = {
  addLines,
  addPayment,
  beginChange,
  beginOneCallSale,
  cancel,
  changeDetails,
  checkOut,
  confirm,
  confirmPaid: confirmPaidOrder,
  doChange,
  expire,
  extend,
  giveUpSale,
  lapseChange,
  recordControl,
  recordPlacesReleased,
  recordRefundReport,
  recordReplacement,
  recordTicketsCancelled,
  refund,
  removeLine,
  reserve,
  settlePayment,
  unextendable: checkLinesAddable,
  unsellable: checkSellable,
  withoutReleased: removeReleasedPlaces,
  ...conditions,
  /** The id of the payment that a request makes, at any of its attempts. */
  paymentId: (key: string, _attempt: number): string => `pay_${key}`,
  /** Whether a write fits the effect before it, which was for the order of this version. */
  fits: (version: number, effectFor: number): boolean => version === effectFor,
  /** The places of an order that a late sale must not release. */
  keptBySale: (order: Order): readonly string[] => (hasTickets(order) ? listOwnStock(order) : []),
  /** Whether the new place of an exchange is sold before a write names it. */
  sellsBeforeWrite: false,
  /** Whether what follows a change releases all that the order has had since. */
  releasesByHolder: false,
  /** Whether a ticket that has left its order is forgotten. */
  forgetsTickets: false,
  /** Whether a sale releases places that the order has no line for. */
  releasesSurplus: true,
  /** Whether work is no longer due once it is claimed: what dies with its process is lost. */
  endsBeforeEffect: false,
  /** The instant of the work that is left of an order after an attempt, by its state; null: none is. */
  isLeft: (at: number | null, _hasFailed: boolean): number | null => at,
  /** Which work a request ends that has issued tickets: that of its own write, at this instant; `_now`: what is due. */
  endedIssue: (own: number, _now: number | undefined): number => own,
  /** The order that a write decides on: the one in the store now, never `read`, the one that was read before. */
  current: <Doc>(stored: Doc, _read: Doc): Doc => stored,
};

export type Rules = typeof rules;
