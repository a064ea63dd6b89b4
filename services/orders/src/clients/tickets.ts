import { within } from '@boxoffice/runtime';
import { type BodyOf, createBestEffort, type ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/tickets.ts';

type Issue = BodyOf<operations, 'issueTickets'>;

/** Longest wait for an answer to a question whose answer the order itself knows well enough. */
const ASK_MS = 1_000;
/** Longest wait for tickets that a fact will bring, too; tickets that hang are not waited for again for a while. */
const ISSUE_MS = 1_000;
/** The call itself ends a little later: whose patience ends first is known. */
const MARGIN_MS = 500;

/** What orders reads and writes of tickets: best effort, nothing here rejects. */
export const createTickets = (tickets: ServiceClient<operations>) => {
  const issuing = createBestEffort({ ms: ISSUE_MS });
  return {
    /** Ids of the order's tickets that are controlled; undefined if tickets did not answer within a second. */
    async controlled(institution: string, orderId: string): Promise<readonly string[] | undefined> {
      const asked = tickets.call(institution, 'getOrderTickets', { path: { orderId }, timeoutMs: ASK_MS });
      // Longer than the call's own time may pass: getting a token for it counts, too.
      const answer = await within(
        asked.catch(() => undefined),
        ASK_MS,
        () => undefined,
      );
      return answer?.tickets.filter(({ status }) => status === 'controlled').map(({ ticketId }) => ticketId);
    },

    /** Issues the tickets of a confirmed order, with their names; resolves with whether tickets answered that they did. */
    async issue(institution: string, named: Omit<Issue, 'version'>, version: number): Promise<boolean> {
      const request = { body: { ...named, version }, timeoutMs: ISSUE_MS + MARGIN_MS };
      const issued = await issuing(() => tickets.call(institution, 'issueTickets', request));
      return issued !== undefined;
    },
  };
};

export type Tickets = ReturnType<typeof createTickets>;
