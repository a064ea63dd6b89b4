/** Milliseconds after its recorded instant within which a write ends: from then on every reader sees it. */
const WRITE_MS = 10_000;
/** Largest difference between the clocks of two instances, in milliseconds. */
const SKEW_MS = 5_000;

/**
 * What a reading that begins now answers as `asOf`: as the next `modifiedSince` (inclusive) it misses nothing,
 * whichever instances wrote. ISO 8601 UTC; `now` by the reader's clock, taken before the reading begins.
 *
 * Let r be the reader's clock when the reading begins, u the instant that a write carries by its writer's clock, and d
 * by how much that clock is ahead of the reader's, |d| <= SKEW_MS. By the reader's clock u was taken at u - d, and the
 * write is seen from some moment before u - d + WRITE_MS on. If the reading does not see it, that moment comes after r,
 * so u > r - WRITE_MS + d >= r - WRITE_MS - SKEW_MS.
 */
export const asOfReading = (now: number): string => new Date(now - WRITE_MS - SKEW_MS).toISOString();
