import type { Random } from '../../round/random.ts';

/** A fault that toxiproxy puts on one direction of a link: `downstream` is that of the answers. */
export interface Toxic {
  readonly type: 'timeout' | 'latency' | 'bandwidth' | 'limit_data' | 'reset_peer';
  readonly stream: 'upstream' | 'downstream';
  readonly attributes: Readonly<Record<string, number>>;
}

/** What is done to a link. */
export interface Damage {
  readonly words: string;
  /** Connections are closed, and new ones refused. */
  readonly cut?: boolean;
  readonly toxics: readonly Toxic[];
}

/** The kinds of damage: cut, delayed, halved in bandwidth, reset in mid-answer. */
export const damageKinds = ['refused', 'silent', 'delayed', 'halved', 'cut short', 'reset'] as const;
export type DamageKind = (typeof damageKinds)[number];

/** Milliseconds: below every time limit of the product, and above one or all of them. */
const DELAYS_MS = [150, 800, 2_000, 4_500, 9_000] as const;

const both = (type: Toxic['type'], attributes: Toxic['attributes']): Toxic[] => [
  { type, stream: 'upstream', attributes },
  { type, stream: 'downstream', attributes },
];

/** The answers take `ms` longer. */
export const delayed = (ms: number, jitter = 0): Damage => ({
  words: `delayed by ${ms} ms`,
  toxics: [{ type: 'latency', stream: 'downstream', attributes: { latency: ms, jitter } }],
});

/** Damage of a kind. `bytesPerSecond` is what the link carried before, in both directions. */
export const damageOf = (kind: DamageKind, bytesPerSecond: number, random: Random): Damage => {
  switch (kind) {
    case 'refused':
      return { words: 'cut, connections refused', cut: true, toxics: [] };
    case 'silent':
      return { words: 'cut, nothing arrives', toxics: both('timeout', { timeout: 0 }) };
    case 'delayed': {
      const ms = random.pick(DELAYS_MS);
      return delayed(ms, Math.round(ms / 10));
    }
    case 'halved': {
      // Half of the whole, for the two directions together, in KB/s.
      const rate = Math.max(1, Math.round(bytesPerSecond / 4 / 1_000));
      return { words: `halved to ${rate} KB/s each way`, toxics: both('bandwidth', { rate }) };
    }
    case 'cut short': {
      const bytes = random.between(20, 4_000);
      return {
        words: `connections end after ${bytes} bytes of answers`,
        toxics: [{ type: 'limit_data', stream: 'downstream', attributes: { bytes } }],
      };
    }
    case 'reset': {
      const timeout = random.between(0, 250);
      return {
        words: `connections reset after ${timeout} ms`,
        toxics: [{ type: 'reset_peer', stream: 'downstream', attributes: { timeout } }],
      };
    }
  }
};
