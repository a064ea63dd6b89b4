import type { Contacts } from './clients/contacts.ts';
import type { Stock } from './clients/stock.ts';
import type { Tickets } from './clients/tickets.ts';
import type { HoldLimit } from './steps/hold-limit.ts';
import type { Lease } from './steps/lease.ts';
import type { Collections } from './store.ts';

/** Where it is told what went wrong without a request failing. */
export interface Log {
  warn(message: string, fields?: { readonly error?: unknown; readonly count?: number }): void;
}

/** What the commands on orders work with. */
export interface OrdersContext extends Collections {
  readonly stock: Stock;
  readonly contacts: Contacts;
  readonly tickets: Tickets;
  readonly limit: HoldLimit;
  readonly lease: Lease;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A new id with this prefix. */
  readonly newId: (prefix: string) => string;
  /** How long a payment may be pending after `expiresAt` or `dueAt`, in milliseconds. */
  readonly graceMs: number;
  readonly log: Log;
}
