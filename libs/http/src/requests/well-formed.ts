/** Escapes of surrogates: only through them can JSON in UTF-8 hold text that is not well-formed. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** The number of texts that a fault names. */
const MAX_NAMED = 100;

/** A value in a document, and the way to it; the path is built only when it is needed. */
interface Place {
  readonly value: object;
  readonly above: Place | undefined;
  readonly step: string;
}

/** A member in a JSON path. */
const step = (key: string): string =>
  /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;

const pathOf = ({ above, step: own }: Place): string => (above ? pathOf(above) + own : own);

/**
 * JSON paths of the texts that are not well-formed Unicode (lone surrogates, RFC 8259, 8.2), which can be neither
 * stored nor sent. At most `MAX_NAMED` of them.
 */
export const illFormedTexts = (json: string, value: object): string[] => {
  if (!SURROGATE.test(json)) return [];
  const found: string[] = [];
  const rest: Place[] = [{ value, above: undefined, step: '$' }];
  for (let next = rest.pop(); next && found.length < MAX_NAMED; next = rest.pop()) {
    const isList = Array.isArray(next.value);
    for (const [key, inside] of Object.entries(next.value)) {
      const place = (at: object): Place => ({ value: at, above: next, step: isList ? `[${key}]` : step(key) });
      const text = isList || key.isWellFormed() ? inside : key;
      if (typeof text === 'object' && text !== null) rest.push(place(text));
      if (typeof text !== 'string' || text.isWellFormed()) continue;
      found.push(pathOf(place({})).toWellFormed());
      if (found.length === MAX_NAMED) break;
    }
  }
  return found.toSorted();
};
