/** A question whose answer must be as of after it was asked. */
export type Latest<Value> = (key: string, load: () => Promise<Value>) => Promise<Value>;

interface Lane<Value> {
  running: Promise<Value>;
  next: Promise<Value> | undefined;
}

/**
 * Asks one after the other for each key, however many want to know: who comes while one is asked waits for the next, which answers all of
 * them.
 */
export const createLatest = <Value>(): Latest<Value> => {
  const lanes = new Map<string, Lane<Value>>();
  const begin = (key: string, load: () => Promise<Value>): Promise<Value> => {
    const lane: Lane<Value> = { running: load(), next: undefined };
    lanes.set(key, lane);
    const end = () => {
      if (lane.next === undefined) lanes.delete(key);
    };
    lane.running.then(end, end);
    return lane.running;
  };
  return (key, load) => {
    const lane = lanes.get(key);
    if (!lane) return begin(key, load);
    lane.next ??= lane.running.then(
      () => begin(key, load),
      () => begin(key, load),
    );
    return lane.next;
  };
};
