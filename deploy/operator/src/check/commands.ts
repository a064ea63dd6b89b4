import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { explain } from '@boxoffice/runtime';
import { requireInstitution } from '../accounts/institutions.ts';
import { type Command, createProgress, Misuse, type Report } from '../command.ts';
import { type Installation, Refused } from '../installation.ts';
import { type Invariant, invariants } from './findings.ts';
import { type Verified, type Violation, verify } from './verify.ts';

const gauge = (name: string, help: string, samples: readonly (readonly [string, number])[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
];

/** A check's result in Prometheus's text format, for node_exporter's textfile collector. `at`: epoch milliseconds. */
const metricsText = ({ counts, violations, undecided }: Verified, at: number, seconds: number): string => {
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

/** Atomically, readable by the collector: it has only counts. @throws {Refused} when it cannot be written */
const writeMetrics = (file: string, text: string): void => {
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

const storesOf = async (installation: Installation) => {
  const missing = installation.missing();
  if (missing.length > 0) {
    const files = missing.map((name) => `${name}.sqlite`).join(', ');
    throw new Refused(
      `there is nothing to check: ${installation.directory} lacks ${files}, which npm start creates; if it was lost, restore it`,
    );
  }
  return {
    authorizer: await installation.store('authorizer'),
    catalog: await installation.store('catalog'),
    contacts: await installation.store('contacts'),
    events: await installation.store('events'),
    orders: await installation.store('orders'),
    payments: await installation.store('payments'),
    tickets: await installation.store('tickets'),
    pos: await installation.store('pos'),
  };
};

const summary = ({ violations, undecided, more, unasked }: Verified): string => {
  const waiting = `${undecided.length} look wrong and depend on a sale or message under way during the whole check (operator status shows which are old)`;
  if (violations.length === 0) {
    if (unasked !== undefined && undecided.length > 0)
      return `undecided: ${undecided.length + more} look wrong, and the messages in the queues are unknown: ${unasked}`;
    if (more > 0) return `undecided: ${undecided.length + more} look wrong`;
    return undecided.length === 0 ? 'clean: no invariant is violated' : `clean except for pending work: ${waiting}`;
  }
  const counts = new Map<string, number>();
  for (const { invariant } of violations) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  const violated = [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
  return `VIOLATED: ${violated}${more > 0 ? `, and at least ${more} more look wrong` : ''}${undecided.length > 0 ? `; ${waiting}` : ''}`;
};

const reportOf = (verified: Verified, seconds: number): Report => {
  const { counts, violations, undecided, more, unasked } = verified;
  const wrong = violations.length > 0 || more > 0 || (unasked !== undefined && undecided.length > 0);
  const looked = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  const line = ({ invariant, institution, text }: Violation) => `${invariant}  ${institution}  ${text}`;
  const names = new Set(violations.map(({ invariant }) => invariant));
  return {
    kind: 'report',
    wrong,
    text: [
      ...violations.map(line),
      ...undecided.map((one) => `under way: ${line(one)}`),
      ...[...names].map((name) => `${name}: ${invariants[name]}`),
      `checked ${looked.join(', ')} in ${seconds.toFixed(1)} s`,
      summary(verified),
    ].join('\n'),
    json: {
      clean: !wrong,
      checked: counts,
      seconds,
      violations,
      undecided,
      more,
      ...(unasked === undefined ? {} : { unasked }),
    },
  };
};

/** Parses seconds into milliseconds. @throws {Misuse} */
const millisecondsOf = (given: string | boolean | undefined): number | undefined => {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (given === '' || !Number.isFinite(seconds) || seconds < 0) throw new Misuse('--settle is no number of seconds');
  return seconds * 1_000;
};

export const check: readonly Command[] = [
  {
    name: 'check',
    usage: '[--institution ID] [--metrics FILE] [--settle SECONDS]',
    about:
      'verifies stock, orders, tickets, payments, contacts, users, grants, API keys and usage of the whole ' +
      'installation, also while it runs, and changes nothing; violations give exit status 1 and their ids; ' +
      '--metrics: counts for Prometheus’s textfile collector; what looks wrong must stay so for --settle (3) ' +
      'seconds to count, and is waited for a minute while it is under way',
    async run(installation, { options }) {
      const { institution, metrics } = options;
      const settleMs = millisecondsOf(options.settle);
      const stores = await storesOf(installation);
      if (typeof institution === 'string') await requireInstitution(installation, institution);
      const progress = createProgress('check');
      const startedAt = performance.now();
      const verified = await verify({
        stores,
        queues: installation.queues,
        institution: typeof institution === 'string' ? institution : undefined,
        ...(settleMs === undefined ? {} : { settleMs }),
        tell: progress.tell,
      }).finally(progress.end);
      const seconds = (performance.now() - startedAt) / 1_000;
      if (typeof metrics === 'string') writeMetrics(metrics, metricsText(verified, Date.now(), seconds));
      return reportOf(verified, seconds);
    },
  },
];
