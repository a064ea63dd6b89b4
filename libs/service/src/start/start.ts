import { hkdfSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createApp } from '@boxoffice/http';
import {
  createIdentityVerifier,
  createKeySet,
  createServiceCredentials,
  JWKS_PATH,
  type KeySet,
} from '@boxoffice/identity';
import { type Bus, startRelay } from '@boxoffice/messaging';
import {
  type Certificate,
  type Check,
  createHealth,
  createStop,
  type Health,
  type Listening,
  type Logger,
  listen,
  logRefusals,
  type Metrics,
  type Settings,
  type SettingsSpec,
  settleWithin,
  watchCertificate,
  watchSurroundings,
} from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import type { Parts, ServiceDefinition } from '../definition.ts';
import { createContract } from '../definition.ts';
import { createQueueMetrics, instrumentStore, relayMetrics, watchBacklog, watchWork } from '../metrics.ts';
import { startSweeper } from '../retention.ts';
import { type Subscriptions, startSubscriptions } from '../subscriptions.ts';
import { createEndedWorkRecorder } from '../work/ended.ts';
import { startWork, WATCH_MS, type WorkRunner, watchWaiting } from '../work/runner.ts';
import { delayUntilReady, refuseForNow, refuseIn } from './refuse.ts';
import { proveSecret } from './secret-proof.ts';

export interface StartOptions<Spec extends SettingsSpec> {
  /** It may still be opening: the service listens meanwhile. Its opener closes it after the service. */
  readonly store: Store | Promise<Store>;
  /** The start does not wait for one that is connecting: events stay in the outbox. Its opener closes it, too. */
  readonly bus: Bus | Promise<Bus>;
  /** The authorizer's address; not needed for the authorizer itself. */
  readonly authorizerUrl?: string;
  readonly publicUrl: string;
  readonly serviceSecret: string;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Serves HTTPS with it; without it HTTP. */
  readonly tls?: Certificate;
  readonly logger: Logger;
  readonly settings: Settings<Spec>;
  readonly metrics?: Metrics;
  /** See ListenOptions; for callers in other processes. */
  readonly drainMs?: number;
  /** For so many milliseconds from the start requests wait; later they are refused until it serves. Default 0. */
  readonly startWaitMs?: number;
  /** Until it serves the port is closed: callers use other instances. Needs an open store and `authorizerUrl`. */
  readonly listensWhenReady?: boolean;
  /** Ready only once the authorizer has accepted the secret, as a standalone service should be. */
  readonly provesSecret?: boolean;
  /** Conditions of readiness beside the store's and the broker's. */
  readonly checks?: Readonly<Record<string, Check>>;
}

export interface RunningService {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  readonly health: Health;
  renew(certificate: Certificate): void;
  /** The broker is connected, every subscription started, the secret accepted; rejects if it is closed before. */
  readonly complete: Promise<void>;
  /** Resolves if the service's own store and broker answer; rejects otherwise. */
  ready(): Promise<void>;
  /** Resolves when no work that follows a write is due by now: for tests. */
  idle(): Promise<void>;
  /** Stops accepting, finishes requests and messages in hand; the engines stay open. */
  close(): Promise<void>;
}

/** Milliseconds that a service that listens last waits for its broker and the authorizer's keys. */
const REST_OF_START_MS = 10_000;

/** Resolves when it serves, without a broker. @throws {StartFault} when the port is taken; what `prepare` throws */
export async function startService<Spec extends SettingsSpec, State>(
  definition: ServiceDefinition<Spec, State>,
  options: StartOptions<Spec>,
): Promise<RunningService> {
  const { name, version, family } = definition;
  const { host, port, logger, settings, serviceSecret, publicUrl, metrics, checks } = options;
  const missing = new Set(['store', 'broker', 'start']);
  const health = createHealth(() => [...missing]);
  const stop = createStop(logger);

  const refuse = refuseForNow(definition);
  const there = Promise.withResolvers<RequestListener>();
  let handler = delayUntilReady(options.startWaitMs ?? 0, there.promise, refuse);
  const open = async (): Promise<Listening> => {
    const opened = await listen((request, response) => handler(request, response), {
      host,
      port,
      tls: options.tls,
      health,
      observe: metrics?.requests(name),
      refuse: refuseIn(definition),
      onRefused: logRefusals(logger),
      setting: 'PORT',
      drainMs: options.drainMs,
    });
    stop.add('requests', () => opened.close());
    if (metrics) watchCertificate(metrics, name, opened.certificate);
    return opened;
  };
  let listening = options.listensWhenReady ? undefined : await open();

  const { authorizerUrl: provingUrl } = options;
  const proof =
    options.provesSecret && provingUrl !== undefined
      ? proveSecret({ authorizerUrl: provingUrl, service: name, secret: serviceSecret, logger })
      : undefined;
  stop.add('proof of the secret', async () => proof?.close());

  void arrival('broker', options.bus, missing).catch(() => undefined);

  const serve = async (): Promise<{ store: Store; subscriptions: Subscriptions; keys: KeySet; work: WorkRunner }> => {
    const opened = await arrival('store', options.store, missing);
    const store = metrics ? instrumentStore(opened, metrics, name) : opened;
    const authorizerUrl = options.authorizerUrl ?? listening?.url;
    if (authorizerUrl === undefined) throw new Error('a service that listens last needs the address of the authorizer');
    const keys = createKeySet({ url: new URL(JWKS_PATH, authorizerUrl).href });
    const endedWork = createEndedWorkRecorder(store.outbox, logger);
    stop.add('ended work', () => endedWork.flush());
    const parts: Parts<Spec> = {
      store,
      identify: createIdentityVerifier({ keys, audience: name }),
      credentials: createServiceCredentials({
        authorizerUrl,
        service: name,
        secret: serviceSecret,
        keys,
      }),
      logger,
      endedWork,
      settings,
      authorizerUrl,
      publicUrl,
      serviceSecret,
      metrics,
    };
    const state = (await definition.prepare?.(parts)) as State;
    const app: RequestListener = createApp({
      service: name,
      version,
      operations: definition.operations(parts, state),
      identify: definition.identify?.(parts, state) ?? parts.identify,
      authenticateService: definition.authenticateService?.(parts, state),
      idempotency: store.idempotency,
      // The same in all instances, of no use to any other service (RFC 5869).
      cursorKey: Buffer.from(hkdfSync('sha256', serviceSecret, '', `boxoffice cursors of ${name}`, 32)),
      logger,
      serverUrl: publicUrl,
      family,
      webhooks: definition.webhooks,
      tags: definition.tags,
      contract: createContract(definition),
      admit: definition.admit?.(parts, state),
    });
    const reactions = definition.reactions?.(parts, state) ?? [];
    const queues = reactions.map(({ queue }) => queue);
    const messageMetrics = metrics && createQueueMetrics(metrics, () => subscriptions.depths(queues));
    const subscriptions = startSubscriptions({
      service: name,
      bus: options.bus,
      reactions: messageMetrics
        ? reactions.map(({ queue, handle }) => ({ queue, handle: messageMetrics.timed(queue, handle) }))
        : reactions,
      logger,
    });
    stop.add('subscriptions', () => subscriptions.close());
    if (!(options.bus instanceof Promise)) await subscriptions.started;
    const { outbox } = store;
    const watch = watchWaiting(store, { logger });
    stop.add('watch', () => watch.close());
    const relay = startRelay({
      outbox: { ...outbox, done: (ids) => outbox.done(ids, endedWork.take()) },
      lease: (lease, ms) => store.lease(lease, ms),
      onLook: (listener) => watch.onLook(({ event }) => listener(event)),
      sweepMs: WATCH_MS,
      bus: subscriptions,
      withdrawn: definition.withdrawnFacts,
      logger,
      metrics: metrics && relayMetrics(metrics, name),
    });
    stop.add('relay', () => relay.close());
    if (metrics) {
      watchBacklog(metrics, name, relay.backlog);
      watchSurroundings(metrics, definition, { store: () => store.ping(), broker: () => subscriptions.ping() });
    }
    if (definition.retention) {
      const { collections } = definition;
      const sweeper = startSweeper({ store, collections, retention: definition.retention(settings, state), logger });
      stop.add('sweeper', () => sweeper.close());
    }
    const { collections, work: table = {} } = definition;
    const work = startWork({ store, collections, work: table, state, logger, watch });
    stop.add('work', () => work.close());
    if (metrics) watchWork(metrics, { service: name, store, collections, work: table });
    const background = await definition.background?.(parts, state);
    if (background) stop.add('background', () => background.close());
    handler = definition.front?.(app, parts, state) ?? app;
    there.resolve(handler);
    return { store, subscriptions, keys, work };
  };

  const close = async (): Promise<void> => {
    health.stopping();
    there.resolve(refuse);
    // Requests first: the events that they commit still need the relay. Then everything else, the last started first.
    await listening?.close();
    await stop.run();
  };

  const begin = async () => {
    const serving = await serve();
    if (!listening) {
      // Whatever is still to be done would delay the first requests, by seconds on a busy machine.
      const rest = Promise.allSettled([serving.subscriptions.started, serving.keys.refresh()]);
      await settleWithin(rest, REST_OF_START_MS, () => undefined);
      listening = await open();
    }
    return { ...serving, listening };
  };
  const {
    store,
    subscriptions,
    work,
    listening: { url, port: chosen, renew },
  } = await begin().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  health.ready({
    store: () => store.ping(),
    broker: () => subscriptions.ping(),
    ...(proof && { authorizer: proof.check }),
    ...checks,
  });
  const complete = Promise.all([subscriptions.started, proof?.accepted]).then(() => undefined);
  complete.catch(() => undefined);
  const ready = async (): Promise<void> => {
    await Promise.all([store.ping(), subscriptions.ping()]);
  };
  return { name, url, port: chosen, renew, health, complete, ready, idle: work.idle, close };
}

const arrival = async <Value>(name: string, coming: Value | Promise<Value>, missing: Set<string>): Promise<Value> => {
  const value = await coming;
  missing.delete(name);
  return value;
};
