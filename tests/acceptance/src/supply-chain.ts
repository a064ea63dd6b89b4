import { execFile } from 'node:child_process';

/** The result of a check, in words, and whether it is a fault. */
export interface Finding {
  readonly faults: readonly string[];
  readonly summary: string;
  /** True if the check could not run; `summary` gives the reason. */
  readonly undone?: boolean;
}

/** Permissive licences (SPDX) that the product's packages may have: they require attribution at most. */
export const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Python-2.0',
  'Zlib',
]);

/** Whether an SPDX expression is allowed: every part of an AND, one part of an OR. An unreadable one is not. */
export const isAllowed = (expression: string): boolean => {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  if (bare.includes(' OR ')) return bare.split(' OR ').some(isAllowed);
  return bare.split(' AND ').every((licence) => ALLOWED.has(licence));
};

type Licences = Readonly<Record<string, readonly { readonly name: string }[]>>;

/** Judges the output of `pnpm licenses list --json`. */
export const judgeLicences = (licences: Licences): Finding => {
  const entries = Object.entries(licences).sort(([, a], [, b]) => b.length - a.length);
  const refused = entries.filter(([licence]) => !isAllowed(licence));
  return {
    faults: refused.map(([licence, packages]) => `${licence}: ${packages.map(({ name }) => name).join(', ')}`),
    summary: entries.map(([licence, packages]) => `${licence} ${packages.length}`).join(', '),
  };
};

/** The output of `pnpm audit --json`: the advisories, or the reason for their absence. */
interface Audit {
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly advisories?: Readonly<
    Record<string, { readonly severity: string; readonly module_name: string; readonly title: string }>
  >;
}

const GRAVE: ReadonlySet<string> = new Set(['high', 'critical']);

/** The output of a pnpm command, or the reason for its absence. */
export type Printed<Answer> = { readonly answer: Answer } | { readonly nothing: string };

/** The timeout of a question to the registry, in seconds. */
const PATIENCE_S = 60;
/** That of a look at the files here, which on a busy machine takes long, but ends. */
const LOCAL_PATIENCE_S = 600;

const UNREADABLE = 'the answer is unreadable';

/** Parses the output of a finished pnpm command: JSON, or its error text. */
export const readPrinted = <Answer>(stdout: string, stderr: string, late: boolean): Printed<Answer> => {
  try {
    return { answer: JSON.parse(stdout) as Answer };
  } catch {
    if (late) return { nothing: `no answer in ${PATIENCE_S} s` };
    const [code] = /\bE(?:RR_)?[A-Z][A-Z_]{3,}\b/.exec(stderr) ?? [];
    if (code === undefined) return { nothing: UNREADABLE };
    const [, status] = /responded with (\d{3})/.exec(stderr) ?? [];
    if (code === 'ERR_PNPM_AUDIT_BAD_RESPONSE')
      return { nothing: `the registry gives no audits (${status === undefined ? code : `it answers ${status}`})` };
    return { nothing: `no answer (${code})` };
  }
};

const undone = (why: string): Finding => ({ faults: [], summary: `not done: ${why}`, undone: true });

/**
 * Judges the output of `pnpm audit --json`: high and critical advisories are faults, others are reported. An audit that
 * could not run is `undone`, with its reason.
 */
export const judgeAudit = (printed: Printed<Audit | null>): Finding => {
  if ('nothing' in printed) return undone(printed.nothing);
  const { advisories, error } = printed.answer ?? {};
  if (error !== undefined)
    return undone(`the registry gives no audits (${error.code ?? error.message ?? 'no reason'})`);
  if (typeof advisories !== 'object' || advisories === null) return undone(UNREADABLE);
  const found = Object.values(advisories);
  const line = ({ severity, module_name: name, title }: (typeof found)[number]) => `${severity}: ${name}: ${title}`;
  const minor = found.filter(({ severity }) => !GRAVE.has(severity));
  return {
    faults: found.filter(({ severity }) => GRAVE.has(severity)).map(line),
    summary: minor.length === 0 ? 'nothing known' : minor.map(line).join('; '),
  };
};

/** The JSON output of a pnpm command, whatever its exit status. */
const pnpm = <Answer>(timeoutS: number, ...args: string[]): Promise<Printed<Answer>> =>
  new Promise((resolve) => {
    const command = ['run', '--silent', 'pnpm', '--', ...args, '--prod', '--json'];
    execFile('npm', command, { maxBuffer: 64 << 20, timeout: timeoutS * 1_000 }, (error, stdout, stderr) =>
      resolve(readPrinted(stdout, stderr, error?.killed === true)),
    );
  });

/** Checks the licence of every package in the product. */
export const checkLicences = async (): Promise<Finding> => {
  const printed = await pnpm<Licences>(LOCAL_PATIENCE_S, '--recursive', 'licenses', 'list');
  return 'answer' in printed ? judgeLicences(printed.answer) : { faults: ['pnpm lists no licences'], summary: '' };
};

/** Checks the product's packages against the registry's advisories. */
export const checkAudit = async (): Promise<Finding> => judgeAudit(await pnpm<Audit | null>(PATIENCE_S, 'audit'));
