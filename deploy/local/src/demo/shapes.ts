import type { Texts } from './titles.ts';

/** Bodies of the institution API, as far as the demo data uses them. */

export interface NewTariff {
  readonly code: string;
  readonly name: Texts;
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
  /** The seat category's code. */
  readonly seatCategory: string;
  readonly tariffId: string;
  /** In minor units. */
  readonly amount: number;
}

export interface NewPerformance {
  readonly startDate: string;
  readonly durationMinutes: number;
  readonly venue: { readonly name: string; readonly city: string };
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

/** The id of a tariff by its code. */
export type TariffIds = Readonly<Record<string, string>>;

/** The fixtures of every demo institution: one show each, by its code. */
export interface Fixtures {
  readonly soldOut: string;
  readonly numbered: string;
  readonly twoLeft: string;
}

/** A demo institution and the maker of its catalog. */
export interface DemoInstitution {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly languages: readonly string[];
  readonly serviceHost: string;
  readonly shopName: string;
  readonly tariffs: readonly NewTariff[];
  readonly fixtures: Fixtures;
  products(tariffs: TariffIds, now: Date): NewProduct[];
}
