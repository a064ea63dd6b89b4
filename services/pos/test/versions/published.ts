import { buildOpenApiDocument, dereference, familyB } from '@boxoffice/http';
import { createRoutes } from '../../src/commands.ts';
import type { PosContext } from '../../src/request/context.ts';

interface Described {
  readonly security: unknown;
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: unknown }> };
  readonly responses: Record<string, DescribedResponse>;
}

interface DescribedResponse {
  readonly headers?: object;
  readonly content?: Record<string, { readonly schema: unknown; readonly examples?: object }>;
}

/** The members of the description that these tests read. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly parameters: Record<string, { readonly name: string }>; readonly schemas: object };
}

/** The current description of the service. */
export function describeNow(): Description {
  return dereference(
    buildOpenApiDocument({
      service: 'pos',
      version: '1.0.0',
      operations: createRoutes({} as PosContext),
      family: familyB,
    }),
  ) as Description;
}

/** The codes that the schema of an error names. */
export function listCodes(schema: unknown): readonly string[] {
  const { allOf = [] } = (schema ?? {}) as { readonly allOf?: readonly ErrorSchema[] };
  return allOf.flatMap(({ properties }) => properties?.errorCode?.enum ?? []);
}
interface ErrorSchema {
  readonly properties?: { readonly errorCode?: { readonly enum?: readonly string[] } };
}

/** Parameters, bodies and answers of the operations of a version, without descriptions and examples. */
export function describePublishedVersion(prefix: string, { paths, components }: Description): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(paths)
      .filter(([path]) => path.startsWith(`${prefix}/`))
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, described]) => [
          `${method.toUpperCase()} ${path.slice(prefix.length)}`,
          {
            security: described.security,
            parameters: described.parameters
              .map(({ $ref, ...own }) =>
                plain($ref === undefined ? own : components.parameters[$ref.split('/').at(-1) ?? '']),
              )
              .map((parameter) => ({ ...(parameter as object), example: undefined })),
            body: plain(described.requestBody?.content['application/json']?.schema) ?? null,
            answers: Object.fromEntries(
              Object.entries(described.responses)
                .filter(([status]) => isSuccess(status))
                .map(([status, response]) => [status, responseOf(response)]),
            ),
            codes: codesOf(described),
          },
        ]),
      )
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

/** A schema without descriptions, which may change, and with maps in the form that they had when v1 was frozen. */
const plain = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { additionalProperties, ...rest } = schema as { readonly additionalProperties?: unknown };
  if (typeof additionalProperties === 'object')
    return plain({ ...rest, patternProperties: { '^.*$': additionalProperties } });
  const entries = Object.entries(schema).filter(([name, value]) => name !== 'description' || typeof value === 'object');
  return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
};

const isSuccess = (status: string): boolean => status.startsWith('2');

const responseOf = ({ headers = {}, content = {} }: DescribedResponse) => ({
  headers: Object.keys(headers).sort(),
  schema: plain(content['application/json']?.schema),
});

const codesOf = ({ responses }: Described): string[] =>
  Object.entries(responses)
    .filter(([status]) => !isSuccess(status))
    .flatMap(([status, { content }]) =>
      listCodes(content?.['application/json']?.schema).map((code) => `${status} ${code}`),
    )
    .sort();

/** The value after a round trip through JSON. */
export function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
