import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Description } from '@boxoffice/codegen';
import { buildSnapshot, type Process, type Snapshot } from '@boxoffice/contracts';

const WIDTH = 120;

/** The value as a JSON file: what fits into a line of 120 characters stands on one. */
export function formatJson(value: unknown): string {
  return `${inLines(value, '', 0)}\n`;
}

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

const onOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An intended finding: `released/withdrawn.json`. */
export interface Withdrawn {
  /** The finding's `where: what`, as the check prints it. */
  readonly change: string;
  /** Why it breaks no one. */
  readonly reason: string;
}

const ROOT = new URL('../../../', import.meta.url);

export function toFileUrl({ folder }: Pick<Process, 'folder'>, name: string): URL {
  return new URL(`${folder}/${name}`, ROOT);
}

/** The snapshot of the process's last release; undefined before the first. */
export function readReleasedSnapshot(process: Pick<Process, 'folder'>): Snapshot | undefined {
  if (!existsSync(toFileUrl(process, 'released/openapi.json'))) return undefined;
  const part = <Name extends keyof Snapshot>(name: Name) =>
    read<Snapshot[Name]>(toFileUrl(process, `released/${name}.json`));
  return {
    openapi: part('openapi'),
    internal: part('internal'),
    events: part('events'),
    collections: part('collections'),
  };
}

const read = <Value>(file: URL): Value => JSON.parse(readFileSync(file, 'utf8')) as Value;

export function readWithdrawn(process: Pick<Process, 'folder'>): readonly Withdrawn[] {
  const file = toFileUrl(process, 'released/withdrawn.json');
  return existsSync(file) ? read<Withdrawn[]>(file) : [];
}

interface Example {
  readonly $ref?: string;
  readonly value?: { readonly status?: unknown; readonly errorCode?: unknown };
}

/** Writes the snapshot as the new base of comparison. */
export function writeSnapshot(process: Process): void {
  mkdirSync(toFileUrl(process, 'released/'), { recursive: true });
  const { openapi, internal, events, collections } = buildSnapshot(process);
  const files = {
    openapi: descriptionIn(openapi),
    internal: descriptionIn(internal),
    events: { ...events, publishes: sortMembers(events.publishes), consumes: sortMembers(events.consumes) },
    collections: sortMembers(collections),
  };
  for (const [name, part] of Object.entries(files))
    writeFileSync(toFileUrl(process, `released/${name}.json`), formatJson(part));
  rmSync(toFileUrl(process, 'released/withdrawn.json'), { force: true });
}

const descriptionIn = ({ paths, components, ...others }: Description): Description =>
  withoutExamples({
    ...others,
    paths: sortMembers(paths),
    components: Object.fromEntries(Object.entries(components).map(([kind, all]) => [kind, sortMembers(all)])),
  });

/** Without the examples of bodies and successes, which promise nothing. That of a refusal is named as its code. */
const withoutExamples = (description: Description): Description =>
  JSON.parse(
    JSON.stringify(description, (member, value) => {
      if (member !== 'examples' || Array.isArray(value)) return value;
      const refusals = Object.entries<Example>(value).filter(
        ([name, one]) => one.$ref !== undefined || [one.value?.status, one.value?.errorCode].includes(name),
      );
      return refusals.length > 0 ? Object.fromEntries(refusals) : undefined;
    }),
  );

/** By name, so that the file does not depend on the order of declarations. */
const sortMembers = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
