import { Fault } from '@boxoffice/envelope';
import type { WorkKind, WorkTable } from '@boxoffice/service';
import type { OrdersContext } from './context.ts';
import { decideWork, type StateWork, scheduleIssue } from './follows.ts';
import { refundDueCredit } from './payments/credit.ts';
import { endDueChange, repeatSettlements, settleChanges } from './saga/change.ts';
import { forgetGuests, isIssueFinal, issueTickets, writeGuest } from './saga/follow-ups.ts';
import { releaseRemoved } from './saga/release.ts';
import { expireNow, sell } from './saga/sell.ts';
import { shortenHold } from './saga/shorten.ts';
import { toTarget } from './saga/write.ts';
import type { OrderDocument } from './store.ts';

/** Returns the order as it is then. @throws if it could not be done */
type Act = (context: OrdersContext, order: OrderDocument) => Promise<OrderDocument | undefined>;

const readOrder = ({ orders }: OrdersContext, { institution, id }: OrderDocument) => orders.of(institution).get(id);

const acts: Readonly<Record<StateWork, Act>> = {
  /** Places that are gone, and a cancellation meanwhile, end the sale as well. */
  async sell(context, order) {
    try {
      return await sell(context, order);
    } catch (error) {
      const left = await readOrder(context, order);
      if (!(error instanceof Fault) || left?.saleDue) throw error;
      return left;
    }
  },
  expire: (context, order) => expireNow(context, toTarget(order)),
  releaseRemoved,
  endChange: endDueChange,
  settleChanges,
  shortenHold,
  refundCredit: refundDueCredit,
  writeGuest,
  forgetGuests,
};

/** The handler of work that is done when nothing of it follows from the order's state any more. */
const createHandler =
  (name: StateWork): WorkKind<OrdersContext>['handle'] =>
  async (context, document) => {
    const left = await acts[name](context, document as OrderDocument);
    const at = left ? decideWork(left)[name] : null;
    if (at === null) return 'done';
    if (at > context.now()) return { again: at };
    throw new Error(`${name} is still due of the order`);
  };

/** Milliseconds until a change is likely to be settled. */
const AGAIN_MS = 2_000;

/** A write since then has made it due once more. Where no write has made it due, tickets has been restored. */
const issue: WorkKind<OrdersContext>['handle'] = async (context, document, { since }) => {
  const order = document as OrderDocument;
  await issueTickets(context, order);
  if (since > scheduleIssue(order)) await repeatSettlements(context, order);
  return isIssueFinal(order) ? 'done' : { again: context.now() + AGAIN_MS };
};

/** What tickets and contacts must answer has few slots, so that sales do not wait for it while they are away. */
export const work: WorkTable<OrdersContext> = {
  orders: {
    sell: createHandler('sell'),
    expire: createHandler('expire'),
    releaseRemoved: createHandler('releaseRemoved'),
    endChange: createHandler('endChange'),
    settleChanges: { handle: createHandler('settleChanges'), slots: () => 4, institutionSlots: 2 },
    shortenHold: createHandler('shortenHold'),
    refundCredit: createHandler('refundCredit'),
    issueTickets: { handle: issue, slots: () => 4, institutionSlots: 2 },
    writeGuest: { handle: createHandler('writeGuest'), slots: () => 2, institutionSlots: 2 },
    forgetGuests: { handle: createHandler('forgetGuests'), slots: () => 2, institutionSlots: 2 },
  },
};
