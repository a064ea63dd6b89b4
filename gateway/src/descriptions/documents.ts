// The services' descriptions: read while running, merged, and served as the documents of the whole.
import { success } from '@boxoffice/envelope';
import { withoutUnused } from '@boxoffice/http';
import { isBelow } from '@boxoffice/runtime/services';
import { type Content, compress, contentOf } from '../exchange/content.ts';
import type { Family } from '../exchange/faults.ts';
import type { OpenApiDocument } from '../routing/description.ts';
import type { Routing } from '../routing/routing.ts';
import { allWithGatewayStatuses, gatewayResponses } from './gateway-statuses.ts';
import { mergeDocuments, type Part } from './merge.ts';
import {
  API_DESCRIPTION,
  errorItems,
  ownDocument,
  ownVersionDocument,
  POS_API_DESCRIPTION,
  POS_API_VERSION,
  VERSION,
  VEXP,
  versions,
} from './own-operations.ts';

/** The documents that the gateway serves itself, by path. */
export type Documents = ReadonlyMap<string, () => Content>;

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' };

const served = (value: object): Content => {
  const body = Buffer.from(JSON.stringify(value));
  return { ...contentOf(body, HEADERS), gzipped: compress(body) };
};

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' } as const;

/**
 * The `info` of each document. The point-of-sale API has its own version (specification, 9), independent of the
 * services'.
 */
const INFO: Readonly<Record<Family, object>> = {
  A: { title: 'boxoffice institution API', version: VERSION, description: API_DESCRIPTION, license },
  B: { title: 'boxoffice point-of-sale API', version: POS_API_VERSION, description: POS_API_DESCRIPTION, license },
};

const whole = (family: Family, publicUrl: string, parts: readonly Part[]): object => {
  const { paths, webhooks = {}, components, tags } = mergeDocuments(parts);
  return withoutUnused({
    openapi: '3.1.0',
    info: { ...INFO[family], contact: { name: 'The documentation of this installation', url: `${publicUrl}/docs` } },
    servers: [{ url: publicUrl }],
    tags,
    paths: allWithGatewayStatuses(family, paths),
    ...(Object.keys(webhooks).length > 0 ? { webhooks } : {}),
    components: { ...components, responses: { ...components?.responses, ...gatewayResponses(family) } },
  });
};

/** Checks that the description can be a part of the whole, which one unusable part would spoil. @throws {Error} */
export const checkMergeable = (name: string, document: OpenApiDocument): void => {
  whole('A', '', [{ name, document, shown: () => true }]);
};

const EXPERIMENTAL = /^(.+)Experimental(.*)$/;

/**
 * The description with the experimental version's own schemas in the place of those that they extend: `Cart` means the
 * cart of that version. Those of the numbered version are lost, so it is for the experimental one only.
 */
const withPlainNames = (document: OpenApiDocument): OpenApiDocument => {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const plain = (name: string): string => name.replace(EXPERIMENTAL, '$1$2');
  const replaced = new Set(
    schemas
      .map(([name]) => name)
      .filter((name) => EXPERIMENTAL.test(name))
      .map(plain),
  );
  const kept = schemas.filter(([name]) => !replaced.has(name)).map(([name, schema]) => [plain(name), schema]);
  const whole = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  });
  return JSON.parse(
    whole.replaceAll(/"#\/components\/schemas\/([^"]+)"/g, (_, name) => `"#/components/schemas/${plain(name)}"`),
  );
};

/** Rebuilds a document only when one of its source descriptions has changed. */
const remembered = (
  routing: Routing,
  make: (documents: ReturnType<Routing['documents']>) => object,
): (() => Content) => {
  let madeOf: readonly OpenApiDocument[] = [];
  let made: Content | undefined;
  return () => {
    const documents = routing.documents();
    const now = [...documents.values()];
    const same = made !== undefined && now.length === madeOf.length && now.every((one, index) => one === madeOf[index]);
    if (!made || !same) {
      made = served(make(documents));
      madeOf = now;
    }
    return made;
  };
};

/**
 * Makes the documents that the gateway serves: one OpenAPI document per family, limited to routed operations, and the
 * error registry.
 */
export const createDocuments = (routing: Routing, publicUrl: string): Documents => {
  const shownOf = (service: string) => (method: string, path: string) => routing.isRouted(service, method, path);
  const everything = () => true;

  const institution = remembered(routing, (documents) =>
    whole('A', publicUrl, [
      { name: 'gateway', document: ownDocument(publicUrl), shown: everything },
      ...[...documents]
        .filter(([name]) => name !== 'pos')
        .map(([name, document]) => ({
          name,
          document,
          shown: shownOf(name),
        })),
    ]),
  );
  const version = ({ prefix, operationId }: (typeof versions)[number]) =>
    remembered(routing, (documents) => {
      const pos = documents.get('pos');
      const below = (method: string, path: string) => isBelow(path, prefix) && shownOf('pos')(method, path);
      const parts = [
        ...(pos ? [{ name: 'pos', document: prefix === VEXP ? withPlainNames(pos) : pos, shown: below }] : []),
        { name: 'gateway', document: ownVersionDocument(publicUrl, prefix, operationId), shown: everything },
      ];
      return whole('B', publicUrl, parts);
    });
  const errors = served(success({ items: errorItems }));
  return new Map([
    ['/openapi.json', institution],
    ['/errors', () => errors],
    ...versions.map((row) => [`${row.prefix}/openapi.json`, version(row)] as const),
  ]);
};
