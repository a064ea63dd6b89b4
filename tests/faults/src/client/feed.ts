// What a partner receives: the event feed, and a webhook's receiver.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@boxoffice/testkit';
import type { Deployment } from '../deployment/deployment.ts';
import { requireData } from './api.ts';

/** An event, as far as these checks read it. */
export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly resource: { readonly id: string; readonly version: number };
  readonly data: {
    readonly state?: string;
    readonly status?: string;
    readonly orderId?: string;
    readonly changeId?: string;
  };
}

export interface Delivered {
  /** The ids of the events, in the order of their first arrivals. */
  readonly received: ReadonlySet<string>;
  /** Whether the webhook is for events of this type. */
  covers(type: string): boolean;
}

export interface Received {
  /** The feed since the round began. */
  readonly events: readonly EventView[];
  readonly delivered?: Delivered | undefined;
}

/** The events since the opening. */
export interface Feed {
  /** Reads on; returns everything read so far. */
  read(): Promise<readonly EventView[]>;
}

export async function openFeed(api: Client): Promise<Feed> {
  const events: EventView[] = [];
  let { nextCursor: after }: { nextCursor: string } = await requireData(api, '/svc/v3/events');
  return {
    async read() {
      for (;;) {
        const page: { items: EventView[]; nextCursor: string } = await requireData(
          api,
          `/svc/v3/events?limit=500&after=${after}`,
        );
        after = page.nextCursor;
        if (page.items.length === 0) return events;
        events.push(...page.items);
      }
    },
  };
}

export interface Receiver extends Delivered {
  close(): Promise<void>;
}

/**
 * The receiver of a deployment: of every type of orders and tickets; on MongoDB of the types around a cancellation,
 * since servers of its protocol that read whole collections, as the one of the tests does, would spend more on the
 * deliveries of a round than on its sale.
 */
export function openDeploymentReceiver({ engines }: Pick<Deployment, 'engines'>, api: Client): Promise<Receiver> {
  return openReceiver(api, engines === 'embedded' ? ['order.*', 'ticket.*'] : ['order.cancelled', 'order.settled']);
}

/** Ends connections too, which deliveries keep alive. */
const stop = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

const openReceiver = async (api: Client, types: readonly string[]): Promise<Receiver> => {
  const received = new Set<string>();
  // Nobody else knows it: another program may still send to a port that a server of its own had.
  const path = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== path) return void response.writeHead(404).end();
    received.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const body = { url: `http://127.0.0.1:${port}${path}`, types };
  const { webhookId } = await requireData(api, '/svc/v3/webhooks', { method: 'POST', body });
  return {
    received,
    covers: (type) => types.some((one) => one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1)))),
    async close() {
      await requireData(api, `/svc/v3/webhooks/${webhookId}`, { method: 'DELETE' });
      await stop(server);
    },
  };
};
