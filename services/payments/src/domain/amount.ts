/** An amount in the unit that the provider uses for its currency. */
export interface ProviderAmount {
  readonly amount: number;
  /** ISO 4217, in capitals. */
  readonly currency: string;
}
