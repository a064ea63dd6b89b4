/** How long other requests avoid a seat that is being claimed, in milliseconds. */
const BUSY_MS = 1_000;
const MAX_CHOICES = 256;
const PRUNE_AT = 10_000;

/**
 * Spreads concurrent choices of numbered seats within one process, so that not all of them claim the same best seats.
 * Hints only: the atomic claim decides. Instants are epoch milliseconds.
 */
export const createContention = () => {
  const busyUntil = new Map<string, number>();
  const choicesByCategory = new Map<string, number>();
  const prune = (now: number) => {
    for (const [id, until] of busyUntil) if (until <= now) busyUntil.delete(id);
  };
  return {
    /** Whether another request is claiming this seat. */
    isBusy: (placeId: string, now: number): boolean => (busyUntil.get(placeId) ?? 0) > now,
    /** Marks seats that are about to be claimed. */
    markBusy(placeIds: readonly string[], now: number): void {
      if (busyUntil.size > PRUNE_AT) prune(now);
      for (const id of placeIds) busyUntil.set(id, now + BUSY_MS);
    },
    /** Clears the mark of seats that were released. */
    clearBusy(placeIds: readonly string[]): void {
      for (const id of placeIds) busyUntil.delete(id);
    },
    /** The number of best blocks to choose from at random: 1 without contention, more after lost claims. */
    choices: (seatCategoryId: string): number => choicesByCategory.get(seatCategoryId) ?? 1,
    won(seatCategoryId: string): void {
      const choices = (choicesByCategory.get(seatCategoryId) ?? 1) * 0.9;
      if (choices > 1) choicesByCategory.set(seatCategoryId, choices);
      else choicesByCategory.delete(seatCategoryId);
    },
    lost(seatCategoryId: string): void {
      choicesByCategory.set(
        seatCategoryId,
        Math.min(MAX_CHOICES, (choicesByCategory.get(seatCategoryId) ?? 1) * 1.5 + 1),
      );
    },
  };
};

export type Contention = ReturnType<typeof createContention>;
