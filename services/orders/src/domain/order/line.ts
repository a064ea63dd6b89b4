import type { Component, Fee, Grant, ReturnTerms, Tax, TaxedSum } from '@boxoffice/prices';

export interface Place {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

/** Either name may be missing. */
export interface Beneficiary {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

export type Texts = Readonly<Record<string, string>>;

/** As of the hold: it stays when the catalog changes. */
interface SaleDescription {
  readonly institution?: string;
  /** The head of its receipt; absent: none. */
  readonly seller?: { readonly name: string; readonly address: string | null; readonly taxNumber: string | null };
  readonly product: Texts;
  readonly seatCategory: Texts;
  /** Absent after a change to a tariff whose name is not known. */
  readonly tariff?: Texts;
  readonly venue: { readonly name: string; readonly city: string | null };
  /** IANA name. */
  readonly timeZone: string;
  /** Of the catalog's product; absent in what earlier releases sold. */
  readonly productType?: string;
  /** ISO 8601 UTC; absent: not known, or a show. */
  readonly validUntil?: string;
  readonly entries?: 'daily' | 'unlimited';
}

export interface NewLine {
  /** The ticket's id is derived from it. */
  readonly id: string;
  readonly productId: string;
  readonly performanceId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  /** Required of the contact by the tariff. */
  readonly criterion: string | null;
  readonly place: Place;
  /** In the minor unit of the order's currency. */
  readonly amount: number;
  /** What makes the amount; absent: it is the base, and has no tax. */
  readonly price?: LineComposition;
  readonly beneficiary?: Beneficiary | null;
  readonly about?: SaleDescription;
  /** As of the hold; absent: none. */
  readonly returnPolicy?: ReturnTerms;
  /** Of its performance, as of that version of it; absent: as of the hold. Only a line with a policy follows it. */
  readonly start?: { readonly startDate: string; readonly asOf: number };
}

/** Of the hold, but for `grant` and what follows from it. */
export interface LineComposition {
  readonly base: number;
  /** The tariff is sold only with a discount that unlocks it. */
  readonly hidden?: true;
  readonly tax: Tax;
  readonly fees: readonly Fee[];
  /** Absent: no discount. */
  readonly grant?: Grant;
  readonly components: readonly Component[];
  readonly taxes: readonly TaxedSum[];
}

interface Charged {
  readonly id: string;
  readonly amount: number;
  readonly taxes: readonly TaxedSum[];
}

/** Of the whole order. */
export interface WholeOrderFee extends Charged {
  readonly fee: Fee;
}

/** For a line that left the order. */
export interface LineChangeFee extends Charged {
  readonly change: { readonly changeId: string; readonly lineId: string; readonly kind: 'return' | 'exchange' };
}

export const changeFeeNames = {
  return: { en: 'Return fee', de: 'Rückgabegebühr', fr: 'Frais de retour', it: 'Commissione di reso' },
  exchange: { en: 'Exchange fee', de: 'Umtauschgebühr', fr: "Frais d'échange", it: 'Commissione di cambio' },
} as const;

export type OrderFee = WholeOrderFee | LineChangeFee;

export interface Line extends NewLine {
  /** Changes since the confirmation; absent: none. */
  readonly beneficiaryAsOf?: number;
  /** The valid one; null before the confirmation. */
  readonly ticketId: string | null;
  /** Reported so far, in any order. */
  readonly replacements: readonly { readonly ticketId: string; readonly replaces: string }[];
  /** The line that it was exchanged for. */
  readonly replaces?: string;
}

/** Of a confirmed order, which it left by a change. */
export interface FormerLine extends Line {
  readonly changeId: string;
  /** Epoch milliseconds. */
  readonly leftAt: number;
}
