import { textIn } from './language.ts';

type Texts = Readonly<Record<string, string>>;

export const levels = ['available', 'few', 'sold_out'] as const;
export type Level = (typeof levels)[number];

/** Up to so many places, or such a part of all, is few. */
const FEW_PLACES = 5;
const FEW_SHARE = 0.05;

/** How much is left in one word. */
export const levelOf = (free: number, capacity: number): Level => {
  if (free <= 0) return 'sold_out';
  return free <= FEW_PLACES || free <= capacity * FEW_SHARE ? 'few' : 'available';
};

/** A performance, as far as it is offered. */
export interface Offered {
  readonly id: string;
  readonly startDate: string;
  readonly durationMinutes: number | null;
  readonly state: 'on_sale' | 'closed' | 'cancelled';
  readonly salesFrom: string | null;
  readonly salesTo: string | null;
}

/** Whether it can be bought at `now` (epoch milliseconds) as far as dates go; says nothing about stock. */
export const isOnSale = ({ state, salesFrom, salesTo }: Offered, now: number): boolean =>
  state === 'on_sale' &&
  (salesFrom === null || Date.parse(salesFrom) <= now) &&
  (salesTo === null || now < Date.parse(salesTo));

/** Whether a shop still shows it: neither cancelled nor over. */
export const isShown = ({ state, startDate, durationMinutes }: Offered, now: number): boolean =>
  state !== 'cancelled' && (durationMinutes === null || Date.parse(startDate) + durationMinutes * 60_000 > now);

export interface Tariff {
  readonly id: string;
  readonly name: Texts;
  readonly criterion: string | null;
}

/**
 * The tariffs that a visitor may buy: those that the point of sale sells, and that ask for nothing or for what the contact has. A visitor
 * who names no contact has nothing.
 */
export const tariffsFor = <T extends Tariff>(
  tariffs: readonly T[],
  soldHere: readonly string[],
  criteria: readonly string[],
): ReadonlyMap<string, T> => {
  const here = new Set(soldHere);
  const accessible = tariffs.filter(
    ({ id, criterion }) => here.has(id) && (criterion === null || criteria.includes(criterion)),
  );
  return new Map(accessible.map((tariff) => [tariff.id, tariff]));
};

/** What texts are shown in. */
export interface Tongue {
  readonly language: string;
  /** Where a text is missing in it: the point of sale's others, in their order. */
  readonly others: readonly string[];
}

/** A text in the language of an answer. */
export const spoken = (texts: Texts, { language, others }: Tongue): string => textIn(texts, language, others);

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The stable order of records: by startDate, those without one last, then by id. */
export const byStartThenId = (
  a: { readonly startDate: string | null; readonly id: string },
  b: { readonly startDate: string | null; readonly id: string },
): number => byText(a.startDate ?? '~', b.startDate ?? '~') || byText(a.id, b.id);
