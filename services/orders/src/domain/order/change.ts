import type { Creator } from './creator.ts';
import type { Line, LineChangeFee } from './line.ts';

export const changeStates = ['pending', 'done', 'lapsed'] as const;

/** Of changes that nobody asked for. */
export const changeReasons = ['performance_cancelled'] as const;

export interface ReturnedLine {
  readonly lineId: string;
  readonly reason: string | null;
  readonly fee: number;
}

export interface ExchangedLine {
  readonly lineId: string;
  readonly newLineId: string;
  readonly fee: number;
}

/** What became of its old tickets and places; each number is null until all are known. */
export interface Settlement {
  readonly ticketsCancelled: number | null;
  /** Tickets that a gate has let in before they could be cancelled: they stay, and so do their places. */
  readonly controlled: number | null;
  readonly placesReleased: number | null;
  /** Of the controlled ones; absent: none. */
  readonly keptLineIds?: readonly string[];
  readonly settledAt: number | null;
}

/** Of a confirmed order. Instants are epoch milliseconds, amounts integers in the currency's minor unit. */
export interface Change {
  readonly id: string;
  readonly state: (typeof changeStates)[number];
  readonly reason: (typeof changeReasons)[number] | null;
  readonly returns: readonly ReturnedLine[];
  readonly exchanges: readonly ExchangedLine[];
  readonly difference: number;
  readonly fee: number;
  /** By how much it raised the order's when it was done, or lapsed; of a pending one when it was made. */
  readonly due: number;
  readonly credit: number;
  /** Held, or sold already, until it is done; of a lapsed one what it wanted. */
  readonly newLines: readonly Line[];
  /** The order's once it is done. */
  readonly fees: readonly LineChangeFee[];
  /** Lifts the policy's limits and, of returns, controlled tickets. */
  readonly override?: true;
  /** It is not the institution's: credit goes back to the provider that was paid. */
  readonly givesBack?: true;
  /** To be recorded once it is done. */
  readonly refund?: { readonly method: string; readonly reference: string | null } | { readonly provider: 'stripe' };
  readonly refundId: string | null;
  /** Of the hold of its new places; null: it has none, or they are sold. */
  readonly expiresAt: number | null;
  /** From this instant on a pending one lapses; payments that are pending prolong it. */
  readonly deadline: number | null;
  /** Since when nothing is left to pay for it, and it is to be done; null: something is, or it has ended. */
  readonly coveredAt: number | null;
  /** Somebody has ended it: money that comes later does not do it after all. */
  readonly withdrawn?: true;
  readonly createdBy?: Creator;
  readonly createdAt: number;
  readonly doneAt: number | null;
  /** The order's version that its write found; what the order has taken since is not released. */
  readonly asOf: number;
  readonly settlement: Settlement;
}
