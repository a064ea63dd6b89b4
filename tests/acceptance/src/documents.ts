import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findRules } from './rules.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const DOCUMENTS = ['*.md', 'docs/**/*.md', '{deploy,tests,services,libs}/**/*.md', '{gateway,authorizer}/*.md'];

/** A whole path of the repository in backticks. */
const PATH = /`((?:gateway|authorizer|services|libs|deploy|tests|docs)(?:\/[\w.-]+)+)\/?`/g;
const LINK = /\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g;

export function findMissingTargets(root: string, file: string, text: string): string[] {
  const prose = withoutCode(text);
  const links = [...prose.matchAll(LINK)].flatMap(([, path = '', anchor]) => {
    if (/^[a-z]+:/.test(path)) return [];
    const found = path === '' ? file : join(dirname(file), path);
    if (!existsSync(join(root, found))) return [found];
    return anchor === undefined || hasHeading(join(root, found), anchor) ? [] : [`${found}#${anchor}`];
  });
  const paths = [...prose.matchAll(PATH)].map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)));
  return [...links, ...paths];
}

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');

const hasHeading = (file: string, anchor: string): boolean =>
  [...withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].some(
    ([, text = '']) => anchorOf(text) === anchor,
  );

const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The most characters of a row: longer ones are read by nobody, in a table of columns. */
const LONGEST_ROW = 400;

/** The rows of tables in a document that are paragraphs, by their line. */
export function findLongRows(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (line.startsWith('|') && line.length > LONGEST_ROW ? [index + 1] : []));
}

export function readDocuments(): { readonly file: string; readonly text: string }[] {
  return globSync(DOCUMENTS, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

export async function checkDocuments(): Promise<{ readonly faults: readonly string[] }> {
  const documents = readDocuments().flatMap(({ file, text }) =>
    findMissingTargets(ROOT, file, text).map((target) => ({ file, target })),
  );
  const rules = findRules()
    .filter(({ implementedIn }) => !existsSync(join(ROOT, implementedIn)))
    .map(({ test, implementedIn }) => ({ file: test, target: implementedIn }));
  return {
    faults: [...documents, ...rules].map(({ file, target }) => `${file} names ${target}, which does not exist`),
  };
}
