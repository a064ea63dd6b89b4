import type { Texts } from './texts.ts';

/** A price group: full, reduced, member. */
export interface TariffDetails {
  readonly code: string;
  readonly name: Texts;
  /** The criterion that the buyer's contact must have; null: none. */
  readonly criterion: 'member' | null;
}

export interface Tariff extends TariffDetails {
  readonly createdAt: string;
  readonly updatedAt: string;
}
