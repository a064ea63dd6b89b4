import { within } from '@boxoffice/runtime';
import { createCourtesy, type Peer } from '@boxoffice/service';

/** Longest wait for an answer to a question whose answer the order itself knows well enough. */
const ASK_MS = 1_000;
/** Longest wait for tickets that a fact will bring, too; tickets that hang are not waited for again for a while. */
const ISSUE_MS = 1_000;
/** The call itself ends a little later: whose patience ends first is known. */
const MARGIN_MS = 500;

/** What orders needs of tickets; both hold for what it asks at the moment only. */
export interface Tickets {
  /** Ids of the order's tickets that are controlled; undefined if tickets did not say so within a second. */
  controlled(institution: string, orderId: string): Promise<readonly string[] | undefined>;
  /** Issues the tickets of a confirmed order, with their names. Resolves also if it did not work: whether tickets said that it did. */
  issue(institution: string, named: object, version: number): Promise<boolean>;
}

interface OrderTickets {
  readonly tickets: readonly { readonly ticketId: string; readonly status: string }[];
}

/** The tickets, over HTTP. */
export const createTickets = (tickets: Peer): Tickets => {
  const issuing = createCourtesy({ ms: ISSUE_MS });
  return {
    async controlled(institution, orderId) {
      const call = tickets.call<OrderTickets>(institution, {
        operation: 'getOrderTickets',
        method: 'GET',
        path: `/internal/orders/${encodeURIComponent(orderId.toWellFormed())}/tickets`,
        timeoutMs: ASK_MS,
      });
      // Longer than the call's own time may pass: getting a token for it counts, too.
      const answer = await within(
        call.catch(() => undefined),
        ASK_MS,
        () => undefined,
      );
      return answer?.tickets.filter(({ status }) => status === 'controlled').map(({ ticketId }) => ticketId);
    },
    async issue(institution, named, version) {
      const issued = await issuing(() =>
        tickets.call<object>(institution, {
          operation: 'issueTickets',
          method: 'POST',
          path: '/internal/tickets/issue',
          body: { ...named, version },
          timeoutMs: ISSUE_MS + MARGIN_MS,
        }),
      );
      return issued !== undefined;
    },
  };
};
