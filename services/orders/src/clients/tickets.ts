import { within } from '@boxoffice/runtime';
import { type BodyOf, createBestEffort, type ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/tickets.ts';

type Issue = BodyOf<operations, 'issueTickets'>;

/** Maximum wait for the controlled tickets, in milliseconds; the order has recorded their control state, too. */
const CONTROLLED_MS = 1_000;
/**
 * Maximum wait for issued tickets, in milliseconds; `order.confirmed` issues them, too. After a timeout the next calls
 * are skipped for a while.
 */
const ISSUE_MS = 1_000;
/** The call's own timeout is this much longer, so that the best-effort limit always ends the wait. */
const MARGIN_MS = 500;

/** The present ticket of a line. */
export interface IssuedTicket {
  readonly ticketId: string;
  readonly lineId: string;
}

/** The tickets service, as orders uses it: best effort, no call rejects. */
export const createTickets = (
  tickets: ServiceClient<operations>,
  { controlledMs = CONTROLLED_MS, issueMs = ISSUE_MS } = {},
) => {
  const issuing = createBestEffort({ ms: issueMs });
  return {
    /** Ids of the order's controlled tickets; undefined if the tickets service does not answer within a second. */
    async controlled(institution: string, orderId: string): Promise<readonly string[] | undefined> {
      const call = tickets.call(institution, 'getOrderTickets', { path: { orderId }, timeoutMs: controlledMs });
      // The call's own timeout does not include the request for an identity token.
      const answer = await within(
        call.catch(() => undefined),
        controlledMs,
        () => undefined,
      );
      return answer?.tickets.filter(({ status }) => status === 'controlled').map(({ ticketId }) => ticketId);
    },

    /**
     * Issues the tickets of a confirmed order, with beneficiaries' names; resolves to the present ticket of each line,
     * undefined if it was not acknowledged.
     */
    async issue(
      institution: string,
      named: Omit<Issue, 'version'>,
      version: number,
    ): Promise<readonly IssuedTicket[] | undefined> {
      const request = { body: { ...named, version }, timeoutMs: issueMs + MARGIN_MS };
      return (await issuing(() => tickets.call(institution, 'issueTickets', request)))?.tickets;
    },
  };
};

export type Tickets = ReturnType<typeof createTickets>;
