/**
 * The deepest nesting of a body's objects and lists, and the most members of one object. No operation needs a third of
 * either.
 */
export const MAX_DEPTH = 32;
export const MAX_MEMBERS = 6_000;

/** Start of a list's comma count: it never reaches `MAX_MEMBERS`. */
const UNCOUNTED = -(2 ** 30);

/** The index of the closing quote of the text that opens at `from`. */
const endOfText = (json: Uint8Array, from: number): number => {
  let at = from + 1;
  while (at < json.length && json[at] !== 0x22) at += json[at] === 0x5c ? 2 : 1;
  return at;
};

/**
 * Detects JSON that is too expensive to parse: nested too deeply, or an object with too many members, which takes far
 * longer than a list of the same size. Reads each byte once; the text need not be valid JSON. Undefined if there is no
 * excess.
 */
export const excessOf = (json: Uint8Array): string | undefined => {
  // Commas of each open object; those of lists do not count.
  const open: number[] = [];
  let commas = UNCOUNTED;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case 0x22: // "
        at = endOfText(json, at);
        break;
      case 0x2c: // ,
        commas += 1;
        if (commas >= MAX_MEMBERS) return `An object of the request body has over ${MAX_MEMBERS} members.`;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (open.push(commas) > MAX_DEPTH) return `The request body is nested deeper than ${MAX_DEPTH} levels.`;
        commas = json[at] === 0x7b ? 0 : UNCOUNTED;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        commas = open.pop() ?? UNCOUNTED;
        break;
    }
  }
  return undefined;
};
