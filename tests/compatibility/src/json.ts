const WIDTH = 120;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const onOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

/** `taken`: the characters that precede the value on its first line. */
const inLines = (value: unknown, indent: string, taken: number): string => {
  const line = onOneLine(value);
  if (taken + line.length < WIDTH || !(Array.isArray(value) || isObject(value))) return line;
  const deeper = `${indent} `;
  const member = (name: string, one: unknown): string =>
    `${deeper}${name}${inLines(one, deeper, deeper.length + name.length)}`;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((one) => member('', one))
    : Object.entries(value).map(([name, one]) => member(`${JSON.stringify(name)}: `, one));
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
};

/** The value as a JSON file: what fits into a line of 120 characters stands on one. */
export const written = (value: unknown): string => `${inLines(value, '', 0)}\n`;
