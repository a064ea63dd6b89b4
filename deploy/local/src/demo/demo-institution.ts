import type { NewProduct, NewTariff } from './request-bodies.ts';

/** The ids of an institution's tariffs by their codes. */
export type TariffIds = Readonly<Record<string, string>>;

/**
 * Product codes of the shows that documentation and tests rely on: one sold out, one with numbered seats, one with two
 * places left.
 */
export interface Fixtures {
  readonly soldOut: string;
  readonly numbered: string;
  readonly twoLeft: string;
}

/** A demo institution, and the function that creates the request bodies of its products. */
export interface DemoInstitution {
  readonly id: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** ISO 639; the first is the default. */
  readonly languages: readonly string[];
  /** The host of its point of sale (`X-Service-Host`). */
  readonly serviceHost: string;
  readonly shopName: string;
  readonly tariffs: readonly NewTariff[];
  readonly fixtures: Fixtures;
  /** The products; their dates are relative to `now`. */
  products(tariffs: TariffIds, now: Date): NewProduct[];
}
