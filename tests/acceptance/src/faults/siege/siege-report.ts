import type { EnginesName } from '../deployment/deployment.ts';
import type { Settled } from '../round/settle.ts';
import type { AttackCounts } from './attacker/attack-plan.ts';
import type { Phase } from './phase.ts';
import type { Stored } from './resources.ts';
import type { ServerError } from './samples.ts';

/** What a siege measured. */
export interface SiegeReport {
  readonly engines: EnginesName;
  readonly seed: string;
  /** Of the attack. */
  readonly minutes: number;
  /** The share of one core that the attacker was allowed. */
  readonly share: number;
  readonly cores: number;
  /** The machine's load average over a minute, before the siege: what else it did. */
  readonly load: number;
  /** Arrivals per second: the most that were measured, and those of the sale. */
  readonly capacity: number;
  readonly rate: number;
  readonly phases: { readonly calm: Phase; readonly attacked: Phase; readonly after: Phase };
  readonly attack: AttackCounts;
  readonly attackAddresses: number;
  readonly wantedConnections: number;
  /** Memory of the product's processes together, in bytes. */
  readonly resident: { readonly before: number; readonly peak: number; readonly after: number };
  /** By how much the stores grew during the sale, and during the same sale with the attacker. */
  readonly stored: { readonly without: Stored; readonly with: Stored };
  readonly settled: Settled;
}

/** A 5xx, who got it, and how often. */
export interface CountedError extends ServerError {
  readonly who: 'honest' | 'attacker';
  readonly count: number;
}

/** Every 5xx of the product, of all phases. */
export const serverErrorsOf = ({ phases, attack }: Pick<SiegeReport, 'phases' | 'attack'>): CountedError[] => {
  const counted = new Map<string, CountedError>();
  for (const { samples } of Object.values(phases)) {
    for (const error of samples.errors) {
      const key = JSON.stringify(error);
      counted.set(key, { ...error, who: 'honest', count: (counted.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counted.values(), ...attack.errors.map((error) => ({ ...error, who: 'attacker' as const }))];
};

/** How many defects a siege found: violations of invariants, and kinds of unplanned 5xx. */
export const defectsOf = (report: SiegeReport): number =>
  report.settled.violations.length + serverErrorsOf(report).filter(({ planned }) => !planned).length;
