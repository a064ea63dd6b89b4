import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Finding } from './supply-chain.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const DOCUMENTS = ['*.md', 'docs/**/*.md', '{deploy,tests,services,libs}/**/*.md', '{gateway,authorizer}/*.md'];
const README_LINES = 200;
const PROSE_COLUMNS = 120;

/** A whole path of the repository. */
const PATH = /^(?:gateway|authorizer|services|libs|deploy|tests|docs)(?:\/[\w.-]+)+\/?$/;
/** A link, optionally followed by `: "the title of a test"`. */
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)(?:: "([^"]+)")?/g;

/** The anchor that GitHub and GitLab generate for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const withoutCode = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''));

const anchorsOf = (text: string): Set<string> =>
  new Set([...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

/** The faults of one link of a document. */
const linkFaults = (root: string, file: string, [, text = '', target = '', title]: RegExpMatchArray): string[] => {
  if (/^[a-z]+:/.test(target)) return [];
  const [path = '', anchor] = target.split('#');
  const found = path === '' ? file : join(dirname(file), path);
  if (!existsSync(join(root, found))) return [`links to ${found}, which does not exist`];
  const faults: string[] = [];
  if (PATH.test(text) && relative(found, text) !== '') faults.push(`names ${text} and links to ${found}`);
  if (anchor !== undefined && !anchorsOf(readFileSync(join(root, found), 'utf8')).has(anchor))
    faults.push(`links to the heading #${anchor} of ${found}, which does not exist`);
  if (title !== undefined && !readFileSync(join(root, found), 'utf8').includes(title))
    faults.push(`names the test "${title}", which is not in ${found}`);
  return faults;
};

/**
 * Lines of prose that are too long. Table rows, code and lines with a link are exempt: paths change their length when
 * files move.
 */
const longLines = (text: string): string[] =>
  withoutCode(text)
    .split('\n')
    .filter((line) => line.length > PROSE_COLUMNS && !line.startsWith('|') && !line.includes(']('))
    .map((line) => `has a line of more than ${PROSE_COLUMNS} columns: ${line.slice(0, 60)}…`);

/** The faults of a document: missing link targets, paths in backticks and tests, and lines that are too long. */
export const documentFaults = (root: string, file: string, text: string): string[] => {
  const prose = withoutCode(text);
  const links = [...prose.matchAll(LINK)].flatMap((link) => linkFaults(root, file, link));
  const paths = [...prose.matchAll(/`([^`\s]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => PATH.test(path) && !existsSync(join(root, path)))
    .map((path) => `names ${path}, which does not exist`);
  const lines = text.trimEnd().split('\n').length;
  const long = file === 'README.md' && lines > README_LINES ? [`has ${lines} lines, more than ${README_LINES}`] : [];
  const wide = file === 'README.md' || file.startsWith('docs/') ? longLines(text) : [];
  return [...links, ...paths, ...long, ...wide].map((fault) => `${file} ${fault}`);
};

const isTest = (path: string): boolean => path.includes('/test/') || path.includes('/conformance/');

/**
 * The faults of the rows of docs/rules.md. A row is a rule, the one file that implements it, and the test that holds
 * it, or –.
 */
export const ruleFaults = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| rule |'))
    .flatMap((line) => {
      const cells = line.split(/(?<!\\)\|/).slice(1, -1);
      const [rule = '', source = '', test = ''] = cells.map((cell) => cell.trim());
      const linked = (cell: string): string[] => [...cell.matchAll(LINK)].map(([, name = '']) => name);
      const [implementing, held] = [linked(source), linked(test)];
      const isRight =
        cells.length === 3 &&
        implementing.length === 1 &&
        !implementing.some(isTest) &&
        (test === '–' || (held.length === 1 && held.every(isTest)));
      return isRight ? [] : [`docs/rules.md: not a rule, a file and a test (or –): ${rule.slice(0, 80)}`];
    });

/** Checks that every document names only files, headings and tests that exist. */
export const checkDocuments = async (): Promise<Finding> => {
  const files = globSync(DOCUMENTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }).sort();
  const faults = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...documentFaults(ROOT, file, text), ...(file === 'docs/rules.md' ? ruleFaults(text) : [])];
  });
  return { faults, summary: `${files.length} documents` };
};
