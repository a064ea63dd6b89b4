import { announcedAgain, type CurrentFacts } from '@boxoffice/service';
import { everyDocument, type Fact } from '@boxoffice/store';
import {
  ownersOf,
  shownOf,
  TICKET_CONTROL_REVERTED,
  TICKET_CONTROLLED,
  TICKET_RECORDED,
  TICKET_REPLACED,
  TICKETS_CANCELLED,
  ticketControlled,
  ticketControlReverted,
  ticketReplaced,
  ticketsCancelled,
} from './events.ts';
import { ordersCollection, type TicketDocument, ticketsCollection } from './store.ts';

/** The lowest version with a reverted control: issued, printed, controlled, reverted. */
const REVERTED_AT = 4;

const factsOf = (ticket: TicketDocument): Fact[] => {
  const { status, version, replaces } = ticket;
  const facts = replaces === null ? [] : [ticketReplaced(ticket)];
  if (status === 'controlled') facts.push(ticketControlled(ticket));
  else if (status !== 'cancelled' && version >= REVERTED_AT) facts.push(ticketControlReverted(ticket));
  const shown = { resource: 'ticket', data: shownOf(ticket), belongsTo: ownersOf(ticket) };
  const last = announcedAgain(ticket, TICKET_RECORDED, shown);
  return last ? [...facts, last] : facts;
};

/** Replacements, controls, cancellations and last events of the current documents: for republishing events after a restore. */
export const currentFacts: CurrentFacts = {
  types: [TICKET_REPLACED, TICKET_CONTROLLED, TICKET_CONTROL_REVERTED, TICKETS_CANCELLED, TICKET_RECORDED],
  async *read(store) {
    for await (const ticket of everyDocument(store.collection(ticketsCollection))) {
      const { institution, version, orderId: key } = ticket;
      const changedAt = Date.parse(ticket.updatedAt);
      for (const fact of factsOf(ticket)) yield { ...fact, institution, key, version, changedAt };
    }
    for await (const { id: key, institution, version, cancellation } of everyDocument(
      store.collection(ordersCollection),
    )) {
      if (!cancellation) continue;
      const changedAt = Date.parse(cancellation.at);
      yield { ...ticketsCancelled(key, cancellation), institution, key, version, changedAt };
    }
  },
};
