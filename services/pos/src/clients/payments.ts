import type { AnswerOf, BodyOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/payments.ts';

type NewPage = BodyOf<operations, 'openPage'>;
type Opened = AnswerOf<operations, 'openPage'>;
type Looked = AnswerOf<operations, 'lookAtOrder'>;

/** Where a buyer pays at a provider. */
export type Page = NonNullable<Opened['page']>;

/** Milliseconds: the provider has 4.5 seconds, and as long to close each page that another one replaces. */
const OPEN_MS = 6_000;
const REPLACE_MS = 10_000;
/** Milliseconds for which a buyer who comes back waits at most. */
const LOOK_MS = 3_000;

/** Rejects with Fault `service_unavailable` if payments does not answer. */
export function createPayments(payments: ServiceClient<operations>) {
  return {
    /** A repeat has the same page as long as that is open. */
    open: (institution: string, body: NewPage): Promise<Opened> =>
      payments.call(institution, 'openPage', { body, timeoutMs: body.replaces ? REPLACE_MS : OPEN_MS }),

    close: (institution: string, paymentId: string): Promise<unknown> =>
      payments.call(institution, 'closePage', { path: { paymentId } }),

    /** Asks the provider, at most once in five seconds for each payment; what it says has reached orders then. */
    look: (institution: string, orderId: string): Promise<Looked> =>
      payments.call(institution, 'lookAtOrder', { path: { orderId }, timeoutMs: LOOK_MS }),
  };
}

export type Payments = ReturnType<typeof createPayments>;
