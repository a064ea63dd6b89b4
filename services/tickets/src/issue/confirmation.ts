import { createView } from '@boxoffice/http';
import type { Static } from 'typebox';
import { toBeneficiary } from '../domain/beneficiary.ts';
import type { Confirmed, OrderedTicket } from '../domain/order.ts';
import type { Creator } from '../domain/ticket.ts';
import { type Confirmation, ConfirmedTicket } from './schemas.ts';

const view = createView(ConfirmedTicket);

/** As the call says it. */
export function toConfirmation(body: Static<typeof Confirmation>): Confirmed {
  return {
    ...body,
    orderNumber: body.number,
    createdBy: toCreator(body.createdBy),
    tickets: body.tickets.map(toOrderedTicket),
  };
}

/** Undefined if the message names none. */
function toCreator({
  clientId,
  userId,
  pointOfSale,
}: Static<typeof Confirmation>['createdBy'] & {} = {}): Creator | undefined {
  if (clientId !== undefined) return { clientId, ...(userId !== undefined && { userId }) };
  return pointOfSale === undefined ? undefined : { pointOfSale };
}

/** Unknown members, which the message of another service may have, are left out. */
export function toOrderedTicket(given: Static<typeof ConfirmedTicket>): OrderedTicket {
  const { beneficiary } = given;
  return {
    productId: null,
    startDate: null,
    ...view(given),
    beneficiary: beneficiary ? toBeneficiary(beneficiary) : null,
  };
}
