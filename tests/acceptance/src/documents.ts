import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findRules } from './rules.ts';
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

/** Checks that every document names only files, headings and tests that exist, and so does every rule. */
export const checkDocuments = async (): Promise<Finding> => {
  const files = globSync(DOCUMENTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] }).sort();
  const rules = findRules();
  const faults = [
    ...files.flatMap((file) => documentFaults(ROOT, file, readFileSync(join(ROOT, file), 'utf8'))),
    ...rules
      .filter(({ implementedIn }) => !existsSync(join(ROOT, implementedIn)))
      .map(({ test, implementedIn }) => `${test} names ${implementedIn}, which does not exist`),
  ];
  return { faults, summary: `${files.length} documents, ${rules.length} rules` };
};
