import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as received over OTLP/HTTP, in JSON. */
export interface Received {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** A receiver of OTLP traces. */
export interface Receiver {
  readonly url: string;
  readonly spans: Received[];
  /** The media types and the `authorization` headers received. */
  readonly headers: (string | undefined)[];
  close(): Promise<void>;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Received, 'service' | 'attributes' | 'failed'> & {
        readonly attributes: readonly Attribute[];
        readonly status?: { readonly code?: number };
      })[];
    }[];
  }[];
}

const plain = (attributes: readonly Attribute[]): Record<string, string | number> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

const spansIn = ({ resourceSpans }: Sent): Received[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId = '', attributes, status }) => ({
        service,
        name,
        kind,
        traceId,
        spanId,
        parentSpanId,
        failed: status?.code === 2,
        attributes: plain(attributes),
      })),
    );
  });

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** Starts a receiver. */
export const openReceiver = async (): Promise<Receiver> => {
  const spans: Received[] = [];
  const headers: Receiver['headers'] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    void textOf(request).then((text) => {
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      headers.push(request.headers['content-type'], request.headers.authorization);
      spans.push(...spansIn(JSON.parse(text)));
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
