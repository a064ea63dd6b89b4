import { cancel } from '../../../src/domain/cancellation.ts';
import { beginCheckout } from '../../../src/domain/checkout.ts';
import { beginConfirm, confirm, failConfirm } from '../../../src/domain/confirmation.ts';
import { changeDetails } from '../../../src/domain/details.ts';
import { beginExtension, beginReservation, extended, failExtension } from '../../../src/domain/hold.ts';
import { addLines, beginLines, failLines, released, removeLine } from '../../../src/domain/lines.ts';
import { expire } from '../../../src/domain/order/expiry.ts';
import { addPayment, settlePayment } from '../../../src/domain/payments.ts';
import { takeOver } from '../../../src/domain/recovery.ts';
import { refund } from '../../../src/domain/refunds.ts';
import { recordPlacesReleased, recordTicketsCancelled } from '../../../src/domain/settlement.ts';
import { recordControl, recordControlReverted, recordReplacement } from '../../../src/domain/tickets.ts';

/** The rules of a history; a negative control replaces one by a broken rule. */
export const rules = {
  addLines,
  addPayment,
  beginCheckout,
  beginConfirm,
  beginExtension,
  beginLines,
  beginReservation,
  cancel,
  changeDetails,
  confirm,
  expire,
  extended,
  failConfirm,
  failExtension,
  failLines,
  recordControl,
  recordPlacesReleased,
  recordReplacement,
  recordControlReverted,
  recordTicketsCancelled,
  refund,
  released,
  removeLine,
  settlePayment,
  takeOver,
};

export type Rules = typeof rules;
