import { Agent, request } from 'node:https';
import type { Demo, DemoClient, Product } from './product.ts';

/** A response as a black-box client sees it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The JSON body; undefined if the body is not JSON. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: unknown;
}

/** A partner's HTTP client: it trusts the product's certificate and nothing else. */
export type Client = (path: string, call?: Call) => Promise<Reply>;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The product's address and the certificate that its clients trust. */
export interface Door {
  readonly demo: Pick<Demo, 'baseUrl'>;
  readonly ca: string;
}

/** A client of the product's HTTPS address; `authorization` is the default of every call without one. */
export const clientOf = (product: Door, authorization?: string): Client => {
  const agent = new Agent({ ca: product.ca, keepAlive: true });
  const base = new URL(product.demo.baseUrl);
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const outgoing = request(
        {
          agent,
          host: base.hostname,
          port: base.port,
          path,
          method,
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
            ...(payload === undefined ? {} : { 'content-length': `${Buffer.byteLength(payload)}` }),
            ...headers,
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed(text) });
          });
        },
      );
      outgoing.on('error', reject).end(payload);
    });
};

/** The demo client of that name. @throws {Error} when demo.json has none */
export const demoClient = (product: Pick<Product, 'demo'>, institution: string, name: string): DemoClient => {
  const found = product.demo.clients.find((client) => client.institution === institution && client.name === name);
  if (!found) throw new Error(`demo.json has no client ${name} of ${institution}`);
  return found;
};

/** Requests a token (RFC 6749, client credentials) and returns a client that sends it. */
export const authorised = async (product: Product, institution: string, name: string): Promise<Client> => {
  const { clientId, clientSecret } = demoClient(product, institution, name);
  const reply = await clientOf(product)('/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }).toString(),
  });
  if (reply.status !== 200) throw new Error(`no token for ${name}: ${reply.status} ${reply.text}`);
  return clientOf(product, `Bearer ${reply.body.access_token}`);
};
