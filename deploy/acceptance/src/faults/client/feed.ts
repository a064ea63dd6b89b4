// What a partner hears: the event feed, and a webhook's receiver.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { must } from './api.ts';

/** An event, as far as these checks read it. */
export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly resource: { readonly id: string; readonly version: number };
  readonly data: { readonly state?: string; readonly status?: string };
}

/** What a partner has heard of a round. */
export interface Heard {
  /** The feed since the round began. */
  readonly events: readonly EventView[];
  /** The ids of the events that a webhook of orders and tickets delivered, in the order of their first arrivals. */
  readonly delivered?: ReadonlySet<string> | undefined;
}

/** The events since the opening. */
export interface Feed {
  /** Reads on; returns everything read so far. */
  read(): Promise<readonly EventView[]>;
}

/** Follows the feed from now on. */
export const openFeed = async (api: Client): Promise<Feed> => {
  const events: EventView[] = [];
  let { nextCursor: after }: { nextCursor: string } = await must(api, '/svc/v3/events');
  return {
    async read() {
      for (;;) {
        const page: { items: EventView[]; nextCursor: string } = await must(
          api,
          `/svc/v3/events?limit=500&after=${after}`,
        );
        after = page.nextCursor;
        if (page.items.length === 0) return events;
        events.push(...page.items);
      }
    },
  };
};

/** A webhook's receiver, which accepts everything. */
export interface Receiver {
  /** The ids of the events, in the order of their first arrivals. */
  readonly received: ReadonlySet<string>;
  /** Deletes the webhook and stops listening. */
  close(): Promise<void>;
}

/** Ends connections too, which deliveries keep alive. */
const stop = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

/**
 * The receiver of a deployment; none on MongoDB: servers of its protocol that read whole collections, as the one of the
 * tests does, spend more on the deliveries of a round than on its sale.
 */
export const receiverFor = async (
  { engines }: Pick<Deployment, 'engines'>,
  api: Client,
): Promise<Receiver | undefined> => (engines === 'embedded' ? openReceiver(api) : undefined);

/** Creates a webhook of every type of orders and tickets, and receives it on loopback. */
const openReceiver = async (api: Client): Promise<Receiver> => {
  const received = new Set<string>();
  const server = createServer((request, response) => {
    received.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const body = { url: `http://127.0.0.1:${port}/`, types: ['order.*', 'ticket.*'] };
  const { webhookId } = await must(api, '/svc/v3/webhooks', { method: 'POST', body });
  return {
    received,
    async close() {
      await must(api, `/svc/v3/webhooks/${webhookId}`, { method: 'DELETE' });
      await stop(server);
    },
  };
};
