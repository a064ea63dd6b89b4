/** Arrivals per second that end, with `abreast` always in progress; those of the first half are not counted. */
export const measureCapacity = async (
  abreast: number,
  seconds: number,
  arrive: (index: number) => Promise<void>,
  now: () => number = () => performance.now(),
): Promise<number> => {
  const from = now();
  const warmUntil = from + (seconds * 1_000) / 2;
  const until = from + seconds * 1_000;
  let index = 0;
  let ended = 0;
  const buyOn = async (): Promise<void> => {
    while (now() < until) {
      index += 1;
      await arrive(index);
      if (now() >= warmUntil && now() < until) ended += 1;
    }
  };
  await Promise.all(Array.from({ length: abreast }, buyOn));
  return (ended * 1_000) / (until - warmUntil);
};
