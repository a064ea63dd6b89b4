import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Tree, Value } from './tree.ts';

/**
 * The documents of a text, parsed as Kubernetes does (YAML 1.1: a number may be octal).
 * @throws {Error} for errors such as a duplicate key
 */
export const documentsIn = (text: string): Value[] =>
  parseAllDocuments(text, { version: '1.1', uniqueKeys: true, merge: false }).flatMap((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw error;
    const value = document.toJS() as Value;
    return value === null ? [] : [value];
  });

export const documentsOf = (path: string): Value[] => {
  try {
    return documentsIn(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
};

/** The only document of a file. */
export const documentOf = (path: string): Tree => {
  const [document, ...more] = documentsOf(path);
  if (document === undefined || more.length > 0) throw new Error(`${path} holds another number of documents than one`);
  return document as Tree;
};
