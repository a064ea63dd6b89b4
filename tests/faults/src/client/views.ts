/** The institution API's documents, as far as these checks read them. */

import type { State } from '@boxoffice/orders';
import type { Status } from '@boxoffice/tickets';

interface LineView {
  readonly id: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly place: { readonly id: string };
  readonly amount: number;
  readonly ticketId: string | null;
}

interface CancellationView {
  readonly requestedAt: string;
  readonly ticketsCancelled: number | null;
  readonly controlled: number | null;
  readonly placesReleased: number | null;
  readonly settledAt: string | null;
}

export interface OrderView {
  readonly id: string;
  readonly state: State;
  readonly version: number;
  readonly externalReference: string | null;
  readonly lines: readonly LineView[];
  readonly total: number;
  readonly paid: number;
  readonly contactNumber: string | null;
  readonly expiresAt: string | null;
  readonly dueAt: string | null;
  readonly confirmedAt: string | null;
  readonly cancellation: CancellationView | null;
}

export interface TicketView {
  readonly id: string;
  readonly status: Status;
  readonly orderId: string;
  readonly lineId: string;
  readonly performanceId: string;
  readonly place: { readonly id: string };
  readonly controlledAt: string | null;
  readonly replaces: string | null;
}

export interface PlaceView {
  readonly id: string;
  readonly state: 'free' | 'held' | 'sold';
}

/** The stock counts of a seat category. */
export interface StockView {
  readonly id: string;
  readonly capacity: number;
  readonly free: number;
  readonly held: number;
  readonly sold: number;
}
