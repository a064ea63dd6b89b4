/**
 * The smallest of the values that at least this share of them do not exceed (nearest rank); null without values.
 * @throws {RangeError} on a share outside of (0, 1]
 */
export const percentile = (values: readonly number[], share: number): number | null => {
  if (!(share > 0 && share <= 1)) throw new RangeError(`a share is above 0 and at most 1, not ${share}`);
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null;
};
