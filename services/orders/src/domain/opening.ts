// Rules of orders without any I/O: from a draft to the settled cancellation, one file per subject.

import { accept, type Decision, refuse } from './order/decision.ts';
import { areAmounts } from './order/money.ts';
import type { Line, NewLine, Order } from './order/order.ts';
import { performancesOf, touched } from './order/state.ts';

/** The input of a new order. `places`: how many are requested; `hold`: the request id of the hold in the catalog. */
export interface DraftInput {
  readonly id: string;
  readonly client: string | null;
  readonly pointOfSale: string | null;
  readonly contactNumber: string | null;
  readonly externalReference: string | null;
  readonly performanceIds: readonly string[];
  readonly places: number;
  readonly request: string;
  readonly hold: string;
}

/** An order before its places are held: invisible, but it counts towards the hold limit and recovery finds it. */
export const newDraft = (
  { id, client, pointOfSale, contactNumber, externalReference, performanceIds, places, request, hold }: DraftInput,
  now: number,
): Order => ({
  id,
  state: 'draft',
  client,
  pointOfSale,
  contactNumber,
  externalReference,
  currency: '',
  lines: [],
  performanceIds: [...new Set(performanceIds)],
  payments: [],
  refunds: [],
  expiresAt: null,
  dueAt: null,
  deadline: null,
  cameFrom: null,
  confirmedAt: null,
  cancellation: null,
  ticketNotes: [],
  pendingStep: { step: 'create', request, hold, since: now, abandoned: null },
  heldPlaces: places,
  createdAt: now,
  modifiedAt: null,
  listedAt: null,
});

/** A line that is not sold yet. */
export const unsold = (line: NewLine): Line => ({ ...line, ticketId: null, replacements: [] });

/**
 * draft → open, with the lines held until `until`. A `cart` stays unlisted until {@link list}. Refused: `step_lost`
 * if it is no draft of this request, `invalid_amount` if the prices do not add up to an exact integer.
 */
export const open = <O extends Order>(
  draft: O,
  hold: {
    readonly request: string;
    readonly lines: readonly NewLine[];
    readonly currency: string;
    readonly until: number;
    readonly cart?: boolean;
  },
  now: number,
): Decision<O> => {
  if (
    draft.state !== 'draft' ||
    draft.pendingStep?.step !== 'create' ||
    draft.pendingStep.abandoned !== null ||
    draft.pendingStep.request !== hold.request
  )
    return refuse('step_lost', 'The draft of the order was ended by another process.');
  if (!areAmounts(hold.lines.map(({ amount }) => amount))) return refuse('invalid_amount');
  return accept({
    ...draft,
    state: 'open',
    currency: hold.currency,
    lines: hold.lines.map(unsold),
    performanceIds: performancesOf(hold.lines),
    expiresAt: hold.until,
    deadline: hold.until,
    pendingStep: null,
    heldPlaces: hold.lines.length,
    modifiedAt: hold.cart ? null : now,
    listedAt: hold.cart ? null : now,
  });
};

/** Lists a cart as an order; unchanged if it is listed, refused for a draft. */
export const list = <O extends Order>(order: O, now: number): Decision<O> => {
  if (order.state === 'draft') return refuse('wrong_state', 'The order is still being created.');
  return accept(order.listedAt === null ? touched({ ...order, listedAt: now, modifiedAt: now }, now) : order);
};
