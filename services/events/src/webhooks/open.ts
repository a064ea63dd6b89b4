import {
  cidrs,
  declareInstallationSecret,
  gatewayPort,
  getListeningPorts,
  type Metrics,
  port,
  url,
} from '@boxoffice/runtime';
import type { Parts } from '@boxoffice/service';
import { type AddressPolicy, createAddressPolicy, createOwnListeners, createResolve } from '../addresses.ts';
import type { Context } from '../context.ts';
import { createAttempt, createSend } from '../deliveries/attempt.ts';
import { createDeliveries, type Deliveries } from '../deliveries/deliveries.ts';
import { toEventView } from '../feed/visible.ts';
import { countDeliveries, watchWebhooks } from '../metrics.ts';
import { createSecretBox } from '../signing.ts';
import { type ClientRights, createClientRights, createDeliveredEvents } from './client-rights.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

const process = (name: string) => url(name, { origin: true, optional: true });

/** Webhooks never connect to the other processes. */
const urls = {
  catalogUrl: process('CATALOG_URL'),
  contactsUrl: process('CONTACTS_URL'),
  ordersUrl: process('ORDERS_URL'),
  ticketsUrl: process('TICKETS_URL'),
  eventsUrl: process('EVENTS_URL'),
  paymentsUrl: process('PAYMENTS_URL'),
  posUrl: process('POS_URL'),
};

export const webhookSettings = {
  /** Internal networks may be reached with http, too. */
  webhookAllowedNetworks: cidrs('WEBHOOK_ALLOWED_NETWORKS'),
  keyEncryptionKey: declareInstallationSecret('KEY_ENCRYPTION_KEY'),
  /** Webhooks never connect to them either. */
  gatewayPort,
  gatewayHttpPort: port('GATEWAY_HTTP_PORT', { default: 8080 }),
  ...urls,
};

export interface OpenWebhooks {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
}

interface OpenWebhooksOptions {
  readonly context: Context;
  readonly policy: AddressPolicy;
  readonly keyEncryptionKey: string;
  readonly rightsOf: ClientRights;
  readonly logger: Parts['logger'];
  readonly metrics?: Metrics | undefined;
  readonly answerMs?: number;
}

export function openWebhooks(options: OpenWebhooksOptions): OpenWebhooks {
  const { context, policy, keyEncryptionKey, rightsOf, logger, metrics, answerMs } = options;
  const { store, log, feed, cursors, publicUrl, now } = context;
  const box = createSecretBox(keyEncryptionKey);
  const send = createSend({ policy, ...(answerMs === undefined ? {} : { answerMs }) });
  const attempt = createAttempt(send, box, now);
  const delivered = createDeliveredEvents(rightsOf);
  const deliveries = createDeliveries({
    store,
    log,
    feed,
    attempt,
    body: (event, bounds) => JSON.stringify(toEventView(event, publicUrl, bounds)),
    delivered,
    logger,
    now,
    ended: countDeliveries(metrics, now),
  });
  if (metrics) watchWebhooks(store, metrics, now);
  const changed = deliveries.wake;
  return {
    deliveries,
    webhooks: createWebhooks({ store, feed, cursors, policy, box, attempt, delivered, changed, publicUrl, now }),
  };
}

export function openWebhooksFromSettings(
  { settings, publicUrl, authorizerUrl, serviceSecret, logger, metrics }: Parts<typeof webhookSettings>,
  context: Context,
): OpenWebhooks {
  const resolve = createResolve();
  const { keyEncryptionKey, gatewayPort, gatewayHttpPort } = settings;
  const others = Object.keys(urls).flatMap((name) => settings[name as keyof typeof urls] ?? []);
  const own = createOwnListeners({
    urls: [publicUrl, authorizerUrl, ...others],
    resolve,
    ports: () => [...getListeningPorts(), gatewayPort, gatewayHttpPort],
  });
  return openWebhooks({
    context,
    policy: createAddressPolicy({ allowed: () => settings.webhookAllowedNetworks, own, resolve }),
    keyEncryptionKey,
    rightsOf: createClientRights(authorizerUrl, serviceSecret),
    logger,
    metrics,
  });
}
