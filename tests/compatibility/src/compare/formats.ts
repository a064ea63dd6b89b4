import type { Schema } from '@boxoffice/codegen';
import type { Finding } from './finding.ts';
import { compareSchemas } from './schemas.ts';

/** The formats that a process writes and reads between processes, by name. */
export interface Formats {
  readonly writes: Readonly<Record<string, Schema>>;
  readonly reads: Readonly<Record<string, Schema>>;
}

/** A process's last release. */
export interface Partner {
  readonly name: string;
  readonly version: string;
  readonly formats: Formats;
}

/** A finding about a format, and the reader or writer that it breaks. */
export interface FormatFinding extends Finding {
  readonly hurts: readonly string[];
}

const nowhere = (): never => {
  throw new Error('a format refers to nothing');
};
const side = (schema: Schema) => ({ schema, resolve: nowhere });

const stepsOf = (path: string): string[] =>
  path
    .replace(/^\$\.?/, '')
    .split(/[.[\]]+/)
    .filter(Boolean);

/** Whether the schema describes this path. */
const speaksOf = (schema: Schema, [name, ...rest]: readonly string[]): boolean => {
  if (name === undefined) return true;
  const member = schema.properties?.[name];
  return member !== undefined && (member.properties === undefined || speaksOf(member, rest));
};

/** Whether this path is present in every value of the schema. */
const hasAlways = (schema: Schema, [name, ...rest]: readonly string[]): boolean => {
  if (name === undefined) return true;
  return schema.required?.includes(name) === true && hasAlways(schema.properties?.[name] ?? {}, rest);
};

/** The changes of written formats that remove what a reader of the last release reads. */
const compareWritten = (before: Formats, after: Formats, partners: readonly Partner[]): FormatFinding[] =>
  Object.entries(before.writes).flatMap(([name, was]) => {
    const readers = partners.filter(({ formats }) => formats.reads[name]);
    const is = after.writes[name];
    const found = is ? compareSchemas(side(was), side(is), 'answer') : [{ path: '$', what: 'is no longer written' }];
    return found.flatMap(({ path, what }) => {
      const hurt = readers.filter(({ formats }) => speaksOf(formats.reads[name] ?? {}, stepsOf(path)));
      return hurt.length > 0 ? [{ where: name, what: `${path} ${what}`, hurts: hurt.map((one) => one.name) }] : [];
    });
  });

/** The changes of reading that refuse what a last release writes. */
const compareRead = (before: Formats, after: Formats, partners: readonly Partner[]): FormatFinding[] =>
  Object.entries(after.reads).flatMap(([name, is]) => {
    const was = before.reads[name];
    if (!was) return [];
    return compareSchemas(side(was), side(is), 'request').flatMap(({ path, what }) => {
      const isNew = !speaksOf(was, stepsOf(path)) || !hasAlways(was, stepsOf(path));
      const hurt = partners.filter(({ formats: { writes } }) => {
        const written = writes[name];
        return written && !(isNew && hasAlways(written, stepsOf(path)));
      });
      const hurts = hurt.map((one) => `what ${one.name} ${one.version} writes`);
      return hurts.length > 0 ? [{ where: `${name}, as it is read`, what: `${path} ${what}`, hurts }] : [];
    });
  });

/** Changes of token claims and of the message envelope that break other running processes. */
export const compareFormats = (before: Formats, after: Formats, partners: readonly Partner[]): FormatFinding[] => [
  ...compareWritten(before, after, partners),
  ...compareRead(before, after, partners),
];
