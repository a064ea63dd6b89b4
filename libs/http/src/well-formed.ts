/** Escapes of surrogates: only through them can JSON in UTF-8 hold text that is not well-formed. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** A member in a JSON path. */
const step = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);

/** What is in an array or object, by path; nothing in anything else. */
const inside = (value: unknown, path: string): [string, unknown][] => {
  if (Array.isArray(value)) return value.map((item, index) => [`${path}[${index}]`, item]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, item]) => [`${path}${step(key)}`, key.isWellFormed() ? item : key]);
};

/** JSON paths of the texts that are no well-formed Unicode (lone surrogates, RFC 8259, 8.2): nothing can store or send them. */
export const illFormedTexts = (json: string, value: unknown): string[] => {
  if (!SURROGATE.test(json)) return [];
  const found: string[] = [];
  // A list and no recursion: what a client nests may be deeper than the stack.
  const rest: [string, unknown][] = [['$', value]];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [path, at] = next;
    if (typeof at === 'string' && !at.isWellFormed()) found.push(path.toWellFormed());
    else for (const member of inside(at, path)) rest.push(member);
  }
  return found.toSorted();
};
