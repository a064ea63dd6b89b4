import type { Client, Reply } from '@boxoffice/testkit';

/** The requests of honest buyers, as the table groups them. */
export type SampleKind = 'read' | 'order' | 'checkout' | 'login';

export const sampleKinds: readonly SampleKind[] = ['read', 'order', 'checkout', 'login'];

/** A 5xx of the product. */
export interface ServerError {
  readonly request: string;
  readonly status: number;
  readonly code: string;
  /**
   * Whether it says when to try again: 503 of the institution API, 500 of the point of sale (docs/decisions.md); or what
   * became of the order: 500 of a checkout. Any other 5xx is a defect.
   */
  readonly planned: boolean;
}

/** One request of an honest buyer. */
export interface Sample {
  readonly kind: SampleKind;
  /** Milliseconds: of an arrival's first request from its intended start, of a later one from its own. */
  readonly ms: number;
  /** Null without a response. */
  readonly status: number | null;
  /** Whether the product did not do its work: no response, 429 or 5xx. */
  readonly failed: boolean;
}

/** The requests of one phase. */
export interface Samples {
  readonly all: Sample[];
  readonly errors: ServerError[];
}

export const createSamples = (): Samples => ({ all: [], errors: [] });

const CHECKOUT = 'POST /tnwr/v1/orders';

/** The 5xx that a response is; undefined if it is none. */
export const serverErrorOf = (request: string, reply: Pick<Reply, 'status' | 'headers' | 'body'>) => {
  const { status, headers, body } = reply;
  if (status < 500) return undefined;
  const ofPointOfSale = request.includes(' /tnwr/');
  const saysWhen = headers['retry-after'] !== undefined && status === (ofPointOfSale ? 500 : 503);
  const saysWhat = request === CHECKOUT && status === 500 && typeof body?.orderCancelled === 'boolean';
  const planned = saysWhen || saysWhat;
  return { request, status, code: String(body?.errorCode ?? body?.status ?? body?.error ?? ''), planned };
};

const kindOf = (method: string, path: string): SampleKind => {
  if (method === 'GET') return 'read';
  if (path === '/tnwr/v1/sessions') return 'login';
  return path.startsWith('/tnwr/') ? 'checkout' : 'order';
};

/** Identifiers in a path vary; the report groups by what is left. */
export const patternOf = (path: string): string =>
  (path.split('?', 1)[0] ?? '').replaceAll(/\/[a-z]{2,4}_[A-Za-z0-9]+/g, '/{id}');

/** Records each request of one arrival, whose first one is late by what passed since `intended`. */
export const sampled = (
  client: Client,
  samples: Samples,
  intended: number,
  now: () => number = () => performance.now(),
): Client => {
  let from: number | undefined = intended;
  return async (path, call) => {
    const method = call?.method ?? 'GET';
    const startedAt = from ?? now();
    from = undefined;
    const record = (status: number | null): void => {
      const failed = status === null || status === 429 || status >= 500;
      samples.all.push({ kind: kindOf(method, path), ms: now() - startedAt, status, failed });
    };
    try {
      const reply = await client(path, call);
      record(reply.status);
      const error = serverErrorOf(`${method} ${patternOf(path)}`, reply);
      if (error) samples.errors.push(error);
      return reply;
    } catch (error) {
      record(null);
      throw error;
    }
  };
};
