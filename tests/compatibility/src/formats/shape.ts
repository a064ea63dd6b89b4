import type { Schema } from '@boxoffice/codegen';

type Json = unknown;
export type Members = Readonly<Record<string, Json>>;

export const isObject = (value: Json): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'integer' : typeof value;
};

/** The common shape of all samples: their members, which of them are always present, and constant texts. */
export const shapeOf = (samples: readonly Json[]): Schema => {
  if (samples.length > 0 && samples.every(isObject)) {
    const names = [...new Set(samples.flatMap((one) => Object.keys(one)))].toSorted();
    const valuesOf = (name: string) => samples.flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
    return {
      type: 'object',
      required: names.filter((name) => valuesOf(name).length === samples.length),
      properties: Object.fromEntries(names.map((name) => [name, shapeOf(valuesOf(name))])),
    };
  }
  const [type = 'null', ...others] = [...new Set(samples.map(typeOf))];
  const [text] = samples;
  const isConstant = typeof text === 'string' && samples.length > 1 && samples.every((one) => one === text);
  return { type: others.length === 0 ? type : [type, ...others], ...(isConstant ? { const: text } : {}) };
};

/** The reader's result for a sample; rejects if it refuses the sample. */
export type Reader = (sample: Members) => Promise<unknown>;

/** The sample with one member replaced; undefined removes it. */
const changed = (sample: Members, [name = '', ...rest]: readonly string[], value: Json): Members => {
  const { [name]: old, ...others } = sample;
  if (rest.length > 0) return { ...others, [name]: changed(isObject(old) ? old : {}, rest, value) };
  return value === undefined ? others : { ...others, [name]: value };
};

/**
 * A reader's needs, found on a complete sample: members whose absence changes its result, members that it requires, and
 * fixed texts.
 */
export const readingOf = async (sample: Members, written: Schema, read: Reader): Promise<Schema> => {
  const refused = Symbol('refused');
  const outcome = (one: Members) => read(one).then(JSON.stringify, () => refused);
  const whole = await outcome(sample);
  if (whole === refused) throw new Error('the reader refuses its own format');

  const schemaAt = async (value: Members, schema: Schema, at: readonly string[]): Promise<Schema> => {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const [name, member] of Object.entries(value)) {
      const path = [...at, name];
      const own = schema.properties?.[name] ?? {};
      const without = await outcome(changed(sample, path, undefined));
      if (without === whole) continue;
      if (without === refused) required.push(name);
      const fixed = own.const !== undefined && (await outcome(changed(sample, path, 'other'))) === refused;
      properties[name] = isObject(member)
        ? await schemaAt(member, own, path)
        : { type: own.type ?? typeOf(member), ...(fixed ? { const: own.const } : {}) };
    }
    return { type: 'object', required: required.toSorted(), properties };
  };
  return schemaAt(sample, written, []);
};
