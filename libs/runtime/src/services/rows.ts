// The format: docs/services-file.md.

/** A durable queue of a service. The first word of its name is the service's. */
export interface ConsumedQueue {
  readonly queue: string;
  readonly facts: readonly string[];
  /** This and the next: see Queue of libs/messaging. */
  readonly singleActiveConsumer?: boolean;
  readonly atOnce?: number;
}

export interface ServiceRow {
  readonly name: string;
  readonly url?: string;
  readonly prefixes: readonly string[];
  readonly domains: readonly string[];
  readonly open: readonly string[];
  readonly sessions: readonly string[];
  readonly pages: readonly string[];
  readonly headers: readonly string[];
  /** Of the product's own services alone: the caller's credentials that it reads, as `Header` or `Header /path`. */
  readonly credentials?: readonly string[];
  /** Of the product's own services alone: the names of the cookies that pass to it and from it. */
  readonly cookies?: readonly string[];
  readonly calls: readonly string[];
  readonly publishes: readonly string[];
  readonly consumes: readonly (string | ConsumedQueue)[];
}

export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

export function listQueues({
  name,
  consumes = [],
}: Pick<ServiceRow, 'name'> & Partial<ServiceRow>): readonly ConsumedQueue[] {
  const facts = consumes.filter((one) => typeof one === 'string');
  const own = consumes.filter((one) => typeof one === 'object');
  return facts.length === 0 ? own : [{ queue: `${name}.facts.v1`, facts }, ...own];
}

export function getCalls({ calls }: Pick<ServiceRow, 'calls'>): Readonly<Record<string, readonly string[]>> {
  const parts = calls.map((call) => call.split('.'));
  const byService = Map.groupBy(parts, ([service = '']) => service);
  return Object.fromEntries(
    [...byService].map(([service, all]) => [service, all.map(([, operation = '']) => operation)]),
  );
}

export function mayCall(rows: readonly ServiceRow[], service: string, audience: string, operation: string): boolean {
  return rows.some(({ name, calls }) => name === service && calls.includes(`${audience}.${operation}`));
}
