import type { Texts } from './titles.ts';

/*
 * Request bodies of the institution API, with the members that the demo data uses. A code is chosen by the client; an
 * id comes from the answer that created the resource. Dates are ISO 8601 in UTC.
 */

export interface NewTariff {
  readonly code: string;
  readonly name: Texts;
  /** The criterion that the buyer's contact must meet. */
  readonly criterion?: 'member';
}

export interface NewSeatCategory {
  readonly code: string;
  readonly name: Texts;
  readonly numbered: boolean;
  readonly capacity: number;
  readonly rows?: readonly { readonly row: string; readonly seats: number }[];
}

export interface NewPrice {
  /** The code of a seat category of the same performance. */
  readonly seatCategory: string;
  /** The id of a tariff, not its code. */
  readonly tariffId: string;
  /** In minor units. */
  readonly amount: number;
}

export interface NewPerformance {
  readonly startDate: string;
  readonly durationMinutes: number;
  readonly venue: { readonly name: string; readonly city: string };
  /** An IANA name, for example Europe/Paris. */
  readonly timeZone: string;
  readonly salesFrom: string;
  readonly salesTo: string;
  readonly seatCategories: readonly NewSeatCategory[];
  readonly prices: readonly NewPrice[];
}

export interface NewProduct {
  readonly code: string;
  readonly type: string;
  readonly name: Texts;
  readonly description: Texts;
  readonly state: 'running';
  readonly startDate: string;
  readonly endDate: string;
  readonly performances: readonly NewPerformance[];
}
