import type { Texts } from './texts.ts';

/** Who pays which price: full, reduced, member. */
export interface TariffDetails {
  readonly code: string;
  readonly name: Texts;
  /** What the buyer's contact must have; null: anybody may buy. */
  readonly criterion: 'member' | null;
}

export interface Tariff extends TariffDetails {
  readonly createdAt: string;
  readonly updatedAt: string;
}
