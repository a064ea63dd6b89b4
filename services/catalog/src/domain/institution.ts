/** A tenant: an opera house, a museum, a club. */
export interface Institution {
  readonly id: string;
  readonly name: string;
  /** ISO 4217; the currency of all its prices. */
  readonly currency: string;
  /** Language tags (BCP 47), the preferred one first. */
  readonly languages: readonly string[];
}
