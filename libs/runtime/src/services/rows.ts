// The list of services: what gateway, authorizer, broker and operator know of each. docs/services-file.md has the
// format.

/** A durable queue of a service. The first word of its name is the service's. */
export interface ConsumedQueue {
  readonly queue: string;
  readonly facts: readonly string[];
  /** See Queue of libs/messaging. */
  readonly singleActiveConsumer?: boolean;
  /** See Queue of libs/messaging. */
  readonly atOnce?: number;
}

/** Facts of which each process of the service gets a copy, and none while it is down. */
interface ConsumedBroadcast {
  readonly broadcast: readonly string[];
}

/** One service of the installation. */
export interface ServiceRow {
  /** The audience of its identity tokens, its name at the authorizer, and its user at the broker. */
  readonly name: string;
  /** Where it listens; undefined: known from a setting, or nobody calls it. */
  readonly url?: string;
  /** The paths below which it serves. */
  readonly prefixes: readonly string[];
  /** The domains whose scopes its operations may require. */
  readonly domains: readonly string[];
  /** Public operations as `METHOD /path`. Any other operation without a scope is not routed. */
  readonly open: readonly string[];
  /** Prefixes below which a session, not a token, identifies the caller. */
  readonly sessions: readonly string[];
  /** Prefixes of public web pages, `POST /path` where they have forms. No description lists pages. */
  readonly pages: readonly string[];
  /** Headers that pass to it and from it, beside those that pass in any case. */
  readonly headers: readonly string[];
  /** Of the product's own services alone: the caller's credentials that it reads, as `Header` or `Header /path`. */
  readonly credentials?: readonly string[];
  /** Of the product's own services alone: the names of the cookies that pass to it and from it. */
  readonly cookies?: readonly string[];
  /** The internal operations of other services that it may call, as `service.operationId`. */
  readonly calls: readonly string[];
  /** The facts that it publishes. */
  readonly publishes: readonly string[];
  /** The facts that it receives; those that are named alone share the queue `<name>.facts.v1`. */
  readonly consumes: readonly (string | ConsumedQueue | ConsumedBroadcast)[];
}

/** Whether a path equals the prefix or is below it. */
export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The queues of a service, with their facts. */
export function listQueues({ name, consumes }: ServiceRow): readonly ConsumedQueue[] {
  const facts = consumes.filter((one) => typeof one === 'string');
  const own = consumes.filter((one) => typeof one === 'object' && 'queue' in one);
  return facts.length === 0 ? own : [{ queue: `${name}.facts.v1`, facts }, ...own];
}

/** The broadcast facts that each process of a service receives. */
export function listBroadcasts({ consumes }: ServiceRow): readonly string[] {
  return consumes.flatMap((one) => (typeof one === 'object' && 'broadcast' in one ? one.broadcast : []));
}

/** The operations of other services that a service may call, by the other's name. */
export function getCalls({ calls }: Pick<ServiceRow, 'calls'>): Readonly<Record<string, readonly string[]>> {
  const parts = calls.map((call) => call.split('.'));
  const byService = Map.groupBy(parts, ([service = '']) => service);
  return Object.fromEntries(
    [...byService].map(([service, all]) => [service, all.map(([, operation = '']) => operation)]),
  );
}

/** Whether the service may call this internal operation of the other. */
export function mayCall(rows: readonly ServiceRow[], service: string, audience: string, operation: string): boolean {
  return rows.some(({ name, calls }) => name === service && calls.includes(`${audience}.${operation}`));
}
