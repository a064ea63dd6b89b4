/** The median of some values and an interval that contains the true median with at least 95 % probability. */
interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The fewest values that bound a median with 95 % probability. */
export const FEWEST = 6;

/**
 * Bounds the median of independent values by two of them, without an assumption about their distribution (the sign
 * test's interval): each value is below the true median with probability one half. @throws {RangeError} for fewer than
 * six values
 */
export const medianInterval = (values: readonly number[]): MedianInterval => {
  const count = values.length;
  if (count < FEWEST) throw new RangeError(`${count} values do not bound a median with 95 % probability`);
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  // Drops as many values at either end as keep the probability of a miss at that end below 2.5 %.
  let dropped = -1;
  let term = 0.5 ** count;
  for (let tail = term; tail <= 0.025; tail += term) {
    dropped += 1;
    term *= (count - dropped) / (dropped + 1);
  }
  const middle = (at(Math.floor((count - 1) / 2)) + at(Math.ceil((count - 1) / 2))) / 2;
  return { median: middle, low: at(dropped), high: at(count - 1 - dropped) };
};
