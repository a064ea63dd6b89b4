/** How long a seat that was just fought for is passed over, in milliseconds. */
const BUSY_MS = 1_000;
const MAX_CHOICES = 256;
const PRUNE_AT = 10_000;

/**
 * What the choices of numbered seats in one process tell one another, so that a rush for the best seats does not run into
 * itself: hints only, the claim decides.
 */
export interface Contention {
  /** Whether a choice at `now` (epoch milliseconds) should leave this seat to somebody else. */
  isBusy(placeId: string, now: number): boolean;
  /** These seats are about to be claimed, or just were. */
  markBusy(placeIds: readonly string[], now: number): void;
  /** These seats were given back. */
  clearBusy(placeIds: readonly string[]): void;
  /** Among how many of the best choices to draw lots: 1 while nobody loses, more the more do. */
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
