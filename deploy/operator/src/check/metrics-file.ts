import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { explain } from '@boxoffice/runtime';
import { Refused } from '../installation.ts';
import { type Invariant, invariants } from './findings.ts';
import type { Verified } from './verify.ts';

const gauge = (name: string, help: string, samples: readonly (readonly [string, number])[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
];

/** A check's result in Prometheus's text format, for node_exporter's textfile collector. `at`: epoch milliseconds. */
export const metricsText = ({ counts, violations, undecided }: Verified, at: number, seconds: number): string => {
  const names = Object.keys(invariants) as Invariant[];
  const violated = names.map((name) => {
    const count = violations.filter(({ invariant }) => invariant === name).length;
    return [`{invariant="${name}"}`, count] as const;
  });
  const looked = Object.entries(counts).map(([what, count]) => [`{what="${what}"}`, count] as const);
  return [
    ...gauge('boxoffice_invariant_violations', 'Violations found by the last check, by invariant', violated),
    ...gauge('boxoffice_invariant_undecided', 'Suspects with pending work during the whole last check', [
      ['', undecided.length],
    ]),
    ...gauge('boxoffice_invariant_checked', 'Records that the last check read, by kind', looked),
    ...gauge('boxoffice_invariant_check_duration_seconds', 'Duration of the last check', [['', seconds]]),
    ...gauge('boxoffice_invariant_check_timestamp_seconds', 'When the last check ended (Unix time)', [
      ['', at / 1_000],
    ]),
    '',
  ].join('\n');
};

/**
 * Replaces the file atomically, readable by the collector: it contains only counts. @throws {Refused} when it cannot be
 * written
 */
export const writeMetrics = (file: string, text: string): void => {
  const path = resolve(file);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o644 });
    // The program's umask hides new files from other users, such as the collector's.
    chmodSync(draft, 0o644);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Refused(`--metrics: ${path} cannot be written: ${explain(error)}`);
  }
};
