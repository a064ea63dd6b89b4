import { readFileSync } from 'node:fs';
import { dereference } from '@boxoffice/http';
import type { Operations, ServiceApi } from '../client.ts';
import { type ServiceClient, ServiceRefusal } from '../client.ts';

type Json = Readonly<Record<string, unknown>>;

interface Part {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

interface Body {
  readonly content?: { readonly 'application/json'?: { readonly schema?: Json } };
}

/** A description of internal operations, as each service's `released/internal.json` has it. */
export interface ReleasedDescription {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly Part[];
            readonly requestBody?: Body;
            readonly responses: Readonly<Record<string, Body>>;
          }
        >
      >
    >
  >;
  readonly components?: object;
}

export interface Schemas {
  readonly path: Readonly<Record<string, Json>>;
  readonly query: Readonly<Record<string, { readonly schema: Json; readonly required: boolean }>>;
  readonly body: Json | undefined;
  /** The whole answer, the envelope included. */
  readonly answer: Json;
}

const released = new Map<string, ReleasedDescription>();

export function readReleasedDescription(service: string): ReleasedDescription {
  const file = new URL(`../../../../services/${service}/released/internal.json`, import.meta.url);
  const description = released.get(service) ?? dereference(JSON.parse(readFileSync(file, 'utf8')));
  released.set(service, description);
  return description;
}

/** For a description without references. @throws Error if it does not have the operation */
export function findSchemas({ paths }: ReleasedDescription, operationId: string): Schemas {
  const operation = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find((one) => one.operationId === operationId);
  if (!operation) throw new Error(`the released description has no ${operationId}`);
  const parts = (place: string) => (operation.parameters ?? []).filter((one) => one.in === place);
  return {
    path: Object.fromEntries(parts('path').map(({ name, schema }) => [name, schema])),
    query: Object.fromEntries(parts('query').map(({ name, schema, required = false }) => [name, { schema, required }])),
    body: operation.requestBody?.content?.['application/json']?.schema,
    answer: operation.responses['200']?.content?.['application/json']?.schema ?? {},
  };
}

/** The authorizer permits exactly the generated operations, so one that is no longer called must leave its list. */
export async function findUncalledOperations<All extends Operations<All>>(
  { service, operations }: ServiceApi<All>,
  callAll: (client: ServiceClient<All>) => readonly Promise<unknown>[],
): Promise<string[]> {
  const called = new Set<string>();
  const refuse = async (...[, operation]: readonly unknown[]) => {
    called.add(String(operation));
    throw new ServiceRefusal(service, 403, 'forbidden', null);
  };
  await Promise.allSettled(callAll({ call: refuse, find: refuse }));
  return Object.keys(operations).filter((id) => !called.has(id));
}
