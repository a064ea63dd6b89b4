import { percentile } from './percentiles.ts';
import type { Phase } from './phase.ts';
import { type Sample, type SampleKind, sampleKinds } from './samples.ts';
import { type SiegeReport, serverErrorsOf } from './siege-report.ts';

/** The ratio of the p99 with and without the attacker that is wanted at most. */
const WANTED_RATIO = 3;

const count = (value: number): string => value.toLocaleString('en');
const milliseconds = (value: number | null): string =>
  value === null ? '–' : value < 100 ? value.toFixed(1) : count(Math.round(value));
const megabytes = (bytes: number): string => `${count(Math.round(bytes / 1_048_576))} MB`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const names: Readonly<Record<SampleKind, string>> = {
  read: 'reads',
  order: 'orders: create, confirm',
  checkout: 'point of sale: cart, checkout',
  login: 'point of sale: login',
};

const ofKind = ({ samples }: Phase, kind: SampleKind): readonly Sample[] =>
  samples.all.filter((sample) => sample.kind === kind);

const quantileOf = (phase: Phase, kind: SampleKind, share: number): number | null =>
  percentile(
    ofKind(phase, kind).map(({ ms }) => ms),
    share,
  );

/** The ratio of two latencies, marked if it is over what is wanted. */
export const ratioOf = (before: number | null, now: number | null): string => {
  if (before === null || now === null || before === 0) return '–';
  const ratio = now / before;
  return ratio > WANTED_RATIO ? `**${ratio.toFixed(1)}**` : ratio.toFixed(1);
};

const latencyRow = ({ phases: { calm, attacked, after } }: SiegeReport, kind: SampleKind): string => {
  const p99 = [calm, attacked, after].map((phase) => quantileOf(phase, kind, 0.99));
  const [before = null, now = null] = p99;
  const failed = [calm, attacked, after].map((phase) => ofKind(phase, kind).filter((sample) => sample.failed).length);
  return row([
    names[kind],
    count(ofKind(attacked, kind).length),
    milliseconds(quantileOf(calm, kind, 0.5)),
    milliseconds(before),
    milliseconds(quantileOf(attacked, kind, 0.5)),
    milliseconds(now),
    ratioOf(before, now),
    milliseconds(p99[2] ?? null),
    failed.map(count).join(', '),
  ]);
};

const latencies = (report: SiegeReport): string[] => [
  '| honest requests | under attack | p50 before | p99 before | p50 under attack | p99 under attack | ratio | p99 after | failed before, under attack, after |',
  '|---|---|---|---|---|---|---|---|---|',
  ...sampleKinds.map((kind) => latencyRow(report, kind)),
];

const attackRows = ({ attack }: SiegeReport): string[] => [
  '| attack | requests | answers |',
  '|---|---|---|',
  ...Object.entries(attack.answers).map(([kind, byStatus]) => {
    const answers = Object.entries(byStatus).sort(([, one], [, other]) => other - one);
    const sum = answers.reduce((total, [, times]) => total + times, 0);
    return row([kind, count(sum), answers.map(([status, times]) => `${status} × ${count(times)}`).join(', ')]);
  }),
];

const errorLines = (report: SiegeReport): string[] => {
  const errors = serverErrorsOf(report);
  if (errors.length === 0) return ['- 5xx: none'];
  return errors.map(
    ({ who, request, status, code, planned, count: times }) =>
      `- 5xx: ${`${status} ${code}`.trim()} × ${count(times)} to ${who === 'honest' ? 'honest buyers' : 'the attacker'}, ` +
      `${request}, ${planned ? 'planned' : '**not planned**'}`,
  );
};

const growthLine = ({ stored }: SiegeReport): string => {
  const documents = `${count(stored.without.documents)} documents without, ${count(stored.with.documents)} with the attacker`;
  if (stored.without.bytes === null || stored.with.bytes === null) return `- stores grew by ${documents}`;
  const bytes = `${megabytes(stored.without.bytes)} without, ${megabytes(stored.with.bytes)} with`;
  return `- stores grew by ${bytes}; by ${documents}`;
};

/** The command that repeats a siege. */
const commandOf = ({ minutes, engines, share, seed }: SiegeReport): string =>
  `npm run faults -- --siege ${minutes} --engines ${engines} --attacker-share ${share} --seed ${seed}`;

/** The result of a siege, in Markdown. */
export const siegeTable = (report: SiegeReport): string => {
  const { capacity, rate, cores, attack, resident, settled, phases, wantedConnections, attackAddresses } = report;
  const skipped = Object.values(phases).reduce((sum, phase) => sum + phase.skipped, 0);
  const harness = [phases.calm, phases.attacked, phases.after].map(({ harnessMs }) => milliseconds(harnessMs));
  return [
    `\`${commandOf(report)}\`:`,
    `${cores} cores shared by product, buyers and attacker; load average before: ${report.load.toFixed(1)}.`,
    `Capacity ${capacity.toFixed(0)} arrivals/s, the sale has ${rate.toFixed(0)}/s. Milliseconds:`,
    '',
    ...latencies(report),
    '',
    ...attackRows(report),
    '',
    `- the attacker used ${(attack.share * 100).toFixed(0)} % of a core, from ${attackAddresses} addresses`,
    `- connections without a request: ${count(attack.mostOpen)} of ${count(wantedConnections)} open at most, ` +
      `${count(attack.connected)} opened, ${count(attack.reset)} of them closed within a second`,
    `- memory: ${megabytes(resident.before)} before, ${megabytes(resident.peak)} at most, ${megabytes(resident.after)} after`,
    growthLine(report),
    ...errorLines(report),
    `- invariants: ${count(settled.checked)} checks, ${count(settled.violations.length)} violations`,
    `- arrivals that were not started: ${count(skipped)}; the harness itself was late by at most ${harness.join(', ')} ms`,
  ].join('\n');
};
