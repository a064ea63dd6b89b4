// PDF places glyphs from left to right and knows no direction of writing; SVG's readers do this themselves.

const RIGHT_TO_LEFT = '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}';
const RUNS = new RegExp(`[${RIGHT_TO_LEFT}](?:[${RIGHT_TO_LEFT}\\p{M}]|[^\\p{L}\\p{N}](?=[${RIGHT_TO_LEFT}]))*`, 'gu');
const FIRST_LETTER = /\p{L}/u;
const STARTS_RIGHT = new RegExp(`^[${RIGHT_TO_LEFT}]`, 'u');

/**
 * The parts of a line from left to right, each in one direction of writing, their letters in the order of reading. A line
 * whose first letter is written from the right begins at its right: its numbers and Latin words stay as they are.
 */
export const runsOf = (line: string): readonly string[] => {
  const runs: string[] = [];
  let at = 0;
  for (const { index, 0: run } of line.matchAll(RUNS)) {
    if (index > at) runs.push(line.slice(at, index));
    runs.push(run);
    at = index + run.length;
  }
  if (at < line.length) runs.push(line.slice(at));
  const [first = ''] = FIRST_LETTER.exec(line) ?? [];
  return STARTS_RIGHT.test(first) ? runs.reverse() : runs;
};
