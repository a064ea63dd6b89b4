import { Fault } from '@boxoffice/envelope';

/** Bounds the requests that are not answered yet: of a caller at one service. */
interface InFlightBound<Key> {
  /** Counts one request; the returned function ends that, once. @throws {Fault} too_many_requests */
  take(key: Key): () => void;
}

/** Makes a bound of `most` requests at a time. `whose`: words for the details of a refusal. */
export const createInFlightBound = <Key>(most: number, whose: string): InFlightBound<Key> => {
  const counts = new Map<Key, number>();
  const countDown = (key: Key): void => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  return {
    take(key) {
      const count = counts.get(key) ?? 0;
      if (count >= most) {
        const details = `${most} requests of ${whose} are not answered yet; wait for their answers.`;
        throw new Fault('too_many_requests', details, { 'Retry-After': '1' });
      }
      counts.set(key, count + 1);
      let isCounted = true;
      return () => {
        if (isCounted) countDown(key);
        isCounted = false;
      };
    },
  };
};
