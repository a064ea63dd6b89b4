/** Random choices from a seed: the same seed gives the same choices. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer, both ends included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** One of them. @throws {Error} when there is none */
  pick<T>(from: readonly T[]): T;
  shuffle<T>(from: readonly T[]): T[];
  /** Independent choices that depend only on the seed and the name, not on earlier choices. */
  fork(name: string): Random;
}

/** Creates the choices of a seed (mulberry32). */
export function createRandom(seed: string): Random {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(from) {
      const index = between(0, from.length - 1);
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[index] as (typeof from)[number];
    },
    shuffle(from) {
      const all = [...from];
      for (let last = all.length - 1; last > 0; last--) {
        const other = between(0, last);
        [all[last], all[other]] = [all[other] as (typeof all)[number], all[last] as (typeof all)[number]];
      }
      return all;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** FNV-1a hash of a text, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
};
