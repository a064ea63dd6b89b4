/** How long other requests avoid a seat that is being claimed, in milliseconds. */
const BUSY_MS = 1_000;
const MAX_CHOICES = 256;
const PRUNE_AT = 10_000;

/**
 * Spreads concurrent choices of numbered seats within one process, so that not all of them claim the same best seats.
 * Hints only: the atomic claim decides.
 */
export interface Contention {
  /** Whether another request is claiming this seat at `now` (epoch milliseconds). */
  isBusy(placeId: string, now: number): boolean;
  /** Marks seats that are about to be claimed. */
  markBusy(placeIds: readonly string[], now: number): void;
  /** Clears the mark of seats that were released. */
  clearBusy(placeIds: readonly string[]): void;
  /** The number of best blocks to choose from at random: 1 without contention, more after lost claims. */
  choices(seatCategoryId: string): number;
  won(seatCategoryId: string): void;
  lost(seatCategoryId: string): void;
}

/** The hints of one process. */
export const createContention = (): Contention => {
  const busyUntil = new Map<string, number>();
  const choicesByCategory = new Map<string, number>();
  const prune = (now: number) => {
    for (const [id, until] of busyUntil) if (until <= now) busyUntil.delete(id);
  };
  return {
    isBusy: (placeId, now) => (busyUntil.get(placeId) ?? 0) > now,
    markBusy(placeIds, now) {
      if (busyUntil.size > PRUNE_AT) prune(now);
      for (const id of placeIds) busyUntil.set(id, now + BUSY_MS);
    },
    clearBusy(placeIds) {
      for (const id of placeIds) busyUntil.delete(id);
    },
    choices: (seatCategoryId) => choicesByCategory.get(seatCategoryId) ?? 1,
    won(seatCategoryId) {
      const choices = (choicesByCategory.get(seatCategoryId) ?? 1) * 0.9;
      if (choices > 1) choicesByCategory.set(seatCategoryId, choices);
      else choicesByCategory.delete(seatCategoryId);
    },
    lost(seatCategoryId) {
      choicesByCategory.set(
        seatCategoryId,
        Math.min(MAX_CHOICES, (choicesByCategory.get(seatCategoryId) ?? 1) * 1.5 + 1),
      );
    },
  };
};
