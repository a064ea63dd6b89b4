import { readFile, writeFile } from 'node:fs/promises';

/**
 * Replaces what stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->` in a document. @throws {Error} when the
 * document has no such place
 */
export const writeTable = async (document: URL, name: string, table: string): Promise<void> => {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const text = await readFile(document, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${document.pathname} has no place for the table of the ${name}`);
  await writeFile(document, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
};
