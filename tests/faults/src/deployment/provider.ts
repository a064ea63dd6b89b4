// The payment provider beside the product: a server of the harness, which the provider's library reaches over HTTP.
// What it has done and taken stays, whatever happens to the product.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createErrorResponse,
  createSimulator,
  type Disturb,
  type SimulatedSession,
  simulatedSessionsCollection,
} from '@boxoffice/payments';
import { createLogger } from '@boxoffice/runtime';
import { openSqliteStores } from '@boxoffice/store';
import type { Client } from '@boxoffice/testkit';
import type { Random } from '../round/random.ts';

/** The keys of the institution's account there. */
export const KEYS = { secretKey: 'sk_test_faults', webhookSecret: 'whsec_faults' } as const;

/** What the provider does to the requests of its library, in words. */
export interface Trouble {
  readonly words: string;
  readonly disturb: Disturb;
}

const closeConnection = (): never => {
  throw new Error('the connection is closed');
};

/** Above the time for which a buyer's request waits for it, and above that of the library's own. */
const SLOW_MS = [6_000, 12_000] as const;

/** The ways in which the provider fails: before, after or without its effect. */
export const troubles: readonly ((random: Random) => Trouble)[] = [
  () => ({ words: 'away', disturb: async () => closeConnection() }),
  () => ({
    words: 'closing connections after it has acted',
    disturb: (_, execute) => execute().then(closeConnection),
  }),
  (random) => {
    const ms = random.pick(SLOW_MS);
    return {
      words: `${ms} ms slow`,
      disturb: (_, execute) => pause(ms, undefined, { ref: false }).then(() => execute()),
    };
  },
  () => ({ words: 'answering 429', disturb: async () => createErrorResponse(429, 'Too many requests.') }),
  () => ({ words: 'answering 503', disturb: async () => createErrorResponse(503, 'Try again later.') }),
  () => ({ words: 'answering 500 after it has acted', disturb: (_, execute) => execute('fails_after_effect') }),
];

/** How long it sends a webhook again that was not taken; the real one does so for days. */
const REPEATED_MS = 20_000;
const REPEATED_EVERY_MS = 500;

export type PaymentProvider = Awaited<ReturnType<typeof openProvider>>;

export async function openProvider(institution: string) {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-provider-'));
  const stores = openSqliteStores({ directory });
  const store = await stores.open('provider', [simulatedSessionsCollection]);
  let front: RequestListener = (_, response) => response.destroy();
  const server = createServer((request, response) => front(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let gateway: Client | undefined;
  let disturb: Disturb = (_, execute) => execute();
  const send = async (body: string, signature: string): Promise<void> => {
    const path = `/svc/v3/payment-providers/stripe/webhooks/${institution}`;
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    for (const until = Date.now() + REPEATED_MS; Date.now() < until; await pause(REPEATED_EVERY_MS)) {
      const reply = await gateway?.(path, { method: 'POST', headers, body }).catch(() => undefined);
      if (reply?.status === 200) return;
    }
  };
  const simulator = createSimulator({
    store,
    publicUrl: url,
    logger: createLogger({ service: 'provider', level: 'error' }),
    findWebhookSecret: async () => KEYS.webhookSecret,
    deliver: (_, body, signature) => send(`${body}`, signature),
    disturb: (request, execute) => disturb(request, execute),
  });
  const answer = createAnswer(url, simulator.createFetch(institution));
  front = simulator.front((request, response) => void answer(request, response).catch(() => response.destroy()));

  return {
    /** By which the processes of a deployment find it. */
    settings: { FAULTS_PROVIDER_URL: url },
    /** From now on webhooks are sent to this gateway. */
    tell: (client: Client): void => {
      gateway = client;
    },
    /** Gives it a trouble until `end`; `met` counts the requests that have met it. */
    fail(trouble: Trouble): { readonly met: () => number; readonly end: () => void } {
      let met = 0;
      disturb = (request, execute) => {
        met += 1;
        return trouble.disturb(request, execute);
      };
      return {
        met: () => met,
        end: () => {
          disturb = (_, execute) => execute();
        },
      };
    },
    /** Every page, with what was paid and given back. */
    sessions: (): Promise<readonly SimulatedSession[]> =>
      store.collection(simulatedSessionsCollection).of(institution).find({ orderBy: 'createdAt' }),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await stores.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Answers requests of the provider's library. */
const createAnswer =
  (url: string, simulated: typeof fetch) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers } = request;
    const key = headers['idempotency-key'];
    const isOurs = headers.authorization === `Bearer ${KEYS.secretKey}`;
    const answer = await simulated(`${url}${request.url}`, {
      method,
      headers: {
        // The simulator knows its own keys only.
        authorization: isOurs ? 'Bearer sk_simulated_faults' : '',
        ...(typeof key === 'string' && { 'idempotency-key': key }),
      },
      ...(method === 'POST' && { body: await text(request) }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
