import { execFile } from 'node:child_process';

/** What a look at the third-party packages found: in words, and whether that is a fault. */
export interface Finding {
  readonly faults: readonly string[];
  readonly summary: string;
  /** True if nothing could be looked at: then `told` says why. */
  readonly undone?: boolean;
}

/** Licences (SPDX) under which a package may be part of the product: none asks anything of who runs or changes it but to be named. */
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

/** Whether an SPDX expression is good: each part of an AND, one part of an OR. What cannot be read is not. */
export const isAllowed = (expression: string): boolean => {
  const bare = expression.replace(/^\((.*)\)$/, '$1');
  if (bare.includes(' OR ')) return bare.split(' OR ').some(isAllowed);
  return bare.split(' AND ').every((licence) => ALLOWED.has(licence));
};

type Licences = Readonly<Record<string, readonly { readonly name: string }[]>>;

/** Judges the answer of `pnpm licenses list --json`. */
export const judgeLicences = (licences: Licences): Finding => {
  const entries = Object.entries(licences).sort(([, a], [, b]) => b.length - a.length);
  const refused = entries.filter(([licence]) => !isAllowed(licence));
  return {
    faults: refused.map(([licence, packages]) => `${licence}: ${packages.map(({ name }) => name).join(', ')}`),
    summary: entries.map(([licence, packages]) => `${licence} ${packages.length}`).join(', '),
  };
};

/** An answer of `pnpm audit --json`: the advisories, or why there are none. */
interface Audit {
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly advisories?: Readonly<
    Record<string, { readonly severity: string; readonly module_name: string; readonly title: string }>
  >;
}

const GRAVE: ReadonlySet<string> = new Set(['high', 'critical']);

/** What a pnpm command answered, or in words why it did not. */
export type Printed<Answer> = { readonly answer: Answer } | { readonly nothing: string };

/** How long a pnpm command may take. */
const PATIENCE_S = 60;

const UNREADABLE = 'the answer is unreadable';

/** What a pnpm command that has ended printed: JSON, or what it says of an error. */
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
 * Judges what `pnpm audit --json` printed: high and critical advisories are faults, the others are told. An audit that did not happen is
 * neither good nor bad, and says why.
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

/** The JSON that a pnpm command prints, whatever its exit status. */
const pnpm = <Answer>(...args: string[]): Promise<Printed<Answer>> =>
  new Promise((resolve) => {
    const command = ['run', '--silent', 'pnpm', '--', ...args, '--prod', '--json'];
    execFile('npm', command, { maxBuffer: 64 << 20, timeout: PATIENCE_S * 1_000 }, (error, stdout, stderr) =>
      resolve(readPrinted(stdout, stderr, error?.killed === true)),
    );
  });

/** Looks at the licence of every package that the product is made of. */
export const checkLicences = async (): Promise<Finding> => {
  const printed = await pnpm<Licences>('--recursive', 'licenses', 'list');
  return 'answer' in printed ? judgeLicences(printed.answer) : { faults: ['pnpm lists no licences'], summary: '' };
};

/** Asks the registry what is known against the packages that the product is made of. */
export const checkAudit = async (): Promise<Finding> => judgeAudit(await pnpm<Audit | null>('audit'));
