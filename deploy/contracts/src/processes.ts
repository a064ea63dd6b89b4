import { authorizer, findOnlyCaller } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { type Description, listOperations, type Schema } from '@boxoffice/codegen';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { describeOwnOperations, describeOwnVersion, VERSION, versions } from '@boxoffice/gateway';
import { type AnyOperation, buildOpenApiDocument, removeUnusedComponents } from '@boxoffice/http';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import { builtInRows, getCalls } from '@boxoffice/runtime/services';
import { type Contract, createContract, type ServiceDefinition } from '@boxoffice/service';
import type { Collection, Document } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';

export interface Published {
  readonly schema: Schema;
  readonly example: object;
}

/** A separately released, deployed and scaled program, as far as others depend on it. */
export interface Process {
  readonly name: string;
  /** Path from the repository's root to the folder of its package.json, CHANGELOG.md and `released/`. */
  readonly folder: string;
  readonly version: string;
  readonly callers: string;
  readonly openapi: () => Description;
  readonly internal: () => Description;
  readonly publishes: Readonly<Record<string, Published>>;
  /** The facts of its release before that it does not publish any more. */
  readonly withdrawn: readonly string[];
  /** The types of the facts that it consumes, by queue. */
  readonly consumes: Readonly<Record<string, readonly string[]>>;
  readonly calls: Readonly<Record<string, readonly string[]>>;
  /** The calls that it permits, by caller and service: of the authorizer. */
  readonly permits?: Contract['x-permits'];
  readonly collections: readonly Collection<Document>[];
}

/** The parts of a definition that do not depend on settings. */
type Definition = Pick<
  ServiceDefinition,
  | 'name'
  | 'version'
  | 'collections'
  | 'family'
  | 'queues'
  | 'facts'
  | 'withdrawnFacts'
  | 'calls'
  | 'permits'
  | 'webhooks'
  | 'tags'
> & {
  operations(parts: never, state: never): readonly AnyOperation[];
};

const handler: ProxyHandler<() => unknown> = {
  // Not a thenable and not printable, so that awaiting or logging it is safe.
  get: (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : placeholder),
  apply: () => placeholder,
};

/** While only a service's operations are read: any member of it is the placeholder itself. No handler receives it. */
export const placeholder: unknown = new Proxy(() => undefined, handler);

const asJson = <Value>(value: unknown): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Describes once, which takes long, and returns a copy in every call. */
const cacheDescription = (describe: () => unknown): (() => Description) => {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(describe());
    return JSON.parse(text) as Description;
  };
};

const PARTNERS = 'partners (institution API)';

const processOf = (
  definition: Definition,
  { folder = `services/${definition.name}`, callers = PARTNERS } = {},
): Process => {
  const { name, version, collections, family, webhooks, tags } = definition;
  const contract = createContract(definition);
  const describe = (readers: 'partners' | 'services') =>
    cacheDescription(() => {
      const operations = definition.operations(placeholder as never, placeholder as never);
      return buildOpenApiDocument({ service: name, version, operations, family, webhooks, tags, readers });
    });
  return {
    name,
    folder,
    version,
    callers,
    openapi: describe('partners'),
    internal: describe('services'),
    publishes: asJson(contract['x-publishes']),
    withdrawn: definition.withdrawnFacts ?? [],
    consumes: contract['x-consumes'],
    calls: contract['x-calls'],
    permits: contract['x-permits'],
    collections,
  };
};

const PUBLIC_URL = '/';

const describeGateway = () => {
  const own = describeOwnOperations(PUBLIC_URL);
  const others = versions.map(({ prefix, operationId }) => describeOwnVersion(PUBLIC_URL, prefix, operationId));
  const paths = Object.assign({}, ...[own, ...others].map((one) => one.paths));
  const schemas = Object.assign({}, ...[own, ...others].map((one) => one.components?.schemas));
  return removeUnusedComponents({ ...own, paths, components: { ...own.components, schemas } });
};

const ofAuthorizer = processOf(authorizer, { folder: 'authorizer' });

export function listOperationIds(description: Description): string[] {
  return [...listOperations(description).values()].map(({ operation }) => operation.operationId);
}

/** It calls before there is an identity, and so without a generated client. */
const gateway: Process = {
  name: 'gateway',
  folder: 'gateway',
  version: VERSION,
  callers: 'partners and web shops',
  openapi: cacheDescription(describeGateway),
  internal: cacheDescription(() =>
    buildOpenApiDocument({ service: 'gateway', version: VERSION, operations: [], readers: 'services' }),
  ),
  publishes: {},
  withdrawn: [],
  consumes: {},
  calls: {
    ...getCalls(builtInRows.find(({ name }) => name === 'gateway') ?? { calls: [] }),
    authorizer: listOperationIds(ofAuthorizer.internal()).filter(
      (id) => (findOnlyCaller(id) ?? 'gateway') === 'gateway',
    ),
  },
  collections: [],
};

export const processes: readonly Process[] = [
  gateway,
  ofAuthorizer,
  ...[catalog, contacts, orders, tickets, events, payments].map((definition) => processOf(definition)),
  processOf(pos, { callers: 'web shops (point-of-sale API)' }),
];
