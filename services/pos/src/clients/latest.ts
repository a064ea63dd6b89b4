/** Loads a value that is valid as of a time after the call. */
export type Latest<Value> = (key: string, load: () => Promise<Value>) => Promise<Value>;

interface Lane<Value> {
  running: Promise<Value>;
  next: Promise<Value> | undefined;
}

/**
 * Runs at most one load per key at a time. Calls during a load share the next one, which starts when the current one
 * has ended.
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
