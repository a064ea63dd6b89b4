/** How long a seat that was just fought for is passed over, in milliseconds. */
const PASS_OVER_MS = 1_000;
const MAX_HEAT = 256;
const PRUNE_AT = 10_000;

/**
 * What the choices of numbered seats in one process tell one another, so that a rush for the best seats does not run into
 * itself: hints only, the claim decides.
 */
export interface Rush {
  /** Whether a choice at `now` (epoch milliseconds) should leave this seat to somebody else. */
  isBusy(placeId: string, now: number): boolean;
  /** These seats are about to be claimed, or just were. */
  note(placeIds: readonly string[], now: number): void;
  /** These seats were given back. */
  forget(placeIds: readonly string[]): void;
  /** Among how many of the best choices to draw lots: 1 while nobody loses, more the more do. */
  heat(seatCategoryId: string): number;
  won(seatCategoryId: string): void;
  lost(seatCategoryId: string): void;
}

/** The hints of one process. */
export const createRush = (): Rush => {
  const busyUntil = new Map<string, number>();
  const heats = new Map<string, number>();
  const prune = (now: number) => {
    for (const [id, until] of busyUntil) if (until <= now) busyUntil.delete(id);
  };
  return {
    isBusy: (placeId, now) => (busyUntil.get(placeId) ?? 0) > now,
    note(placeIds, now) {
      if (busyUntil.size > PRUNE_AT) prune(now);
      for (const id of placeIds) busyUntil.set(id, now + PASS_OVER_MS);
    },
    forget(placeIds) {
      for (const id of placeIds) busyUntil.delete(id);
    },
    heat: (seatCategoryId) => heats.get(seatCategoryId) ?? 1,
    won(seatCategoryId) {
      const heat = (heats.get(seatCategoryId) ?? 1) * 0.9;
      if (heat > 1) heats.set(seatCategoryId, heat);
      else heats.delete(seatCategoryId);
    },
    lost(seatCategoryId) {
      heats.set(seatCategoryId, Math.min(MAX_HEAT, (heats.get(seatCategoryId) ?? 1) * 1.5 + 1));
    },
  };
};
