import { execFile } from 'node:child_process';

/** What a look at the third-party packages found: in words, and whether that is a fault. */
export interface Finding {
  readonly faults: readonly string[];
  readonly told: string;
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
    told: entries.map(([licence, packages]) => `${licence} ${packages.length}`).join(', '),
  };
};

/** An answer of `pnpm audit --json`: the advisories, or why there are none. */
interface Audit {
  readonly error?: { readonly code?: string };
  readonly advisories?: Readonly<
    Record<string, { readonly severity: string; readonly module_name: string; readonly title: string }>
  >;
}

const GRAVE: ReadonlySet<string> = new Set(['high', 'critical']);

/**
 * Judges the answer of `pnpm audit --json`, undefined if there was none: high and critical advisories are faults, the others are told. A
 * registry that gives no audits is no fault of the product, but is said.
 */
export const judgeAudit = (audit: Audit | undefined): Finding => {
  if (audit?.advisories === undefined) return { faults: [], told: 'not asked, the registry gives no audits' };
  const found = Object.values(audit.advisories);
  const line = ({ severity, module_name: name, title }: (typeof found)[number]) => `${severity}: ${name}: ${title}`;
  const minor = found.filter(({ severity }) => !GRAVE.has(severity));
  return {
    faults: found.filter(({ severity }) => GRAVE.has(severity)).map(line),
    told: minor.length === 0 ? 'nothing known' : minor.map(line).join('; '),
  };
};

/** The JSON that a pnpm command prints, whatever its exit status; undefined when it prints none. */
const pnpm = <Answer>(...args: string[]): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const command = ['run', '--silent', 'pnpm', '--', ...args, '--prod', '--json'];
    execFile('npm', command, { maxBuffer: 64 << 20, timeout: 60_000 }, (_error, stdout) => {
      try {
        resolve(JSON.parse(stdout) as Answer);
      } catch {
        resolve(undefined);
      }
    });
  });

/** Looks at the licence of every package that the product is made of. */
export const checkLicences = async (): Promise<Finding> => {
  const licences = await pnpm<Licences>('--recursive', 'licenses', 'list');
  return licences ? judgeLicences(licences) : { faults: ['pnpm lists no licences'], told: '' };
};

/** Asks the registry what is known against the packages that the product is made of. */
export const checkAudit = async (): Promise<Finding> => judgeAudit(await pnpm<Audit>('audit'));
