import { join } from 'node:path';
import { Fault } from '@boxoffice/envelope';
import { createKeySet, createServiceCredentials, JWKS_PATH, verifyAccessToken } from '@boxoffice/identity';
import type { Bus } from '@boxoffice/messaging';
import {
  type Certificate,
  type CertificateFiles,
  type Check,
  createHealth,
  followCertificate,
  type Health,
  type InstancesOptions,
  type Logger,
  listen,
  logRefused,
  type Metrics,
  type OnRefused,
  type Refuse,
  requestIdFrom,
  watchCertificate,
  watchSurroundings,
} from '@boxoffice/runtime';
import { createAuthorize } from './authorization/authorize.ts';
import { createAuthorizerClient } from './authorization/authorizer-client.ts';
import { createBearer } from './authorization/bearer.ts';
import { startRevocationUpdates } from './authorization/revocation-updates.ts';
import { createRevocations } from './authorization/revocations.ts';
import { createCors } from './cors/cors.ts';
import { createPointsOfSale } from './cors/points-of-sale.ts';
import { createDescriptionCache, noDescriptionCache } from './descriptions/description-cache.ts';
import { createDocuments } from './descriptions/documents.ts';
import { createLearner } from './descriptions/learner.ts';
import { ownRoutes, VERSION } from './descriptions/own-operations.ts';
import { createOwnOperations } from './descriptions/serve.ts';
import { faultBody } from './exchange/answer.ts';
import { unavailable } from './exchange/faults.ts';
import { createPeers, createTrust } from './exchange/peer.ts';
import { hstsOf, securityHeaders } from './exchange/security-headers.ts';
import { familyOf } from './exchange/target.ts';
import { createForwarding, type UpstreamTimeouts } from './forwarding/forwarding.ts';
import { createResponseCache } from './forwarding/response-cache.ts';
import { createConnectionLimit } from './limits/connection-limit.ts';
import { createLimits, type LimitOptions } from './limits/limits.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { createRouting } from './routing/routing.ts';
import { type ServiceName, serviceNames } from './services.ts';
import { type AccessLog, loggedAccess } from './telemetry/access-log.ts';
import { createGatewayMetrics } from './telemetry/metrics.ts';
import { createAddressFactory } from './upstream/address-factory.ts';

export interface GatewayOptions {
  readonly host: string;
  /** The HTTPS port; 0 lets the system choose. */
  readonly port: number;
  /** The plain HTTP port. */
  readonly httpPort: number;
  /** With the files that it came from, if it may be renewed in them. */
  readonly tls: Certificate & { readonly files?: CertificateFiles };
  /** The address that the outside sees; the issuer of access tokens. */
  readonly publicUrl: string;
  /** CIDR ranges of proxies whose `X-Forwarded-*` are believed. */
  readonly trustProxy?: readonly string[];
  /** Where the services are; those without an address do not exist. */
  readonly services: Readonly<Partial<Record<ServiceName, string | undefined>>>;
  /** SERVICE_SECRET of the gateway. */
  readonly serviceSecret: string;
  /** Where the last known descriptions are kept; undefined: nowhere. */
  readonly dataDirectory?: string;
  /** Requests per minute. */
  readonly limits: LimitOptions;
  /** Connections that one address may have at once; trusted proxies are exempt. Default 200. */
  readonly addressConnections?: number;
  /** `max-age` of `Strict-Transport-Security` on answers over TLS; undefined: none. */
  readonly hstsSeconds?: number;
  /** Tells of revocations at once; without it they are noticed within seconds. May be on its way. */
  readonly bus?: Bus | Promise<Bus | undefined>;
  readonly logger: Logger;
  /** Default: through the logger. */
  readonly accessLog?: AccessLog;
  /** Hears of requests that the HTTP parser refused, which reach no access log. Default: through the logger. */
  readonly onRefused?: OnRefused;
  readonly metrics?: Metrics;
  readonly timeouts?: UpstreamTimeouts;
  /** How names of services are resolved. Default: as the system does. */
  readonly resolve?: InstancesOptions['resolve'];
  /** See ListenOptions. */
  readonly farewellMs?: number;
  /** Milliseconds between two looks at a service's description. */
  readonly learnEveryMs?: number;
  /** Milliseconds after which a service that serves and lacks only its broker counts as having been ready. */
  readonly brokerMs?: number;
}

/** A running gateway. */
export interface Gateway {
  readonly httpsUrl: string;
  readonly httpUrl: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly health: Health;
  /** Resolves when every configured service has been ready once; see Learner for one that lacks its broker. */
  ready(): Promise<void>;
  /** Stops accepting, finishes the requests in hand, lets go of everything. */
  close(): Promise<void>;
}

/** What the HTTP parser refuses, in the shape of the family that the raw request line names. */
const refuseByLine =
  (headers: Readonly<Record<string, string>>): Refuse =>
  ({ code, details, path }) => ({
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestIdFrom(undefined),
      ...headers,
    },
    body: faultBody(familyOf(path), new Fault(code, details), path),
  });

const urlsOf = (given: GatewayOptions['services']): ReadonlyMap<ServiceName, string> =>
  new Map(serviceNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])));

/** Whether the broker answers, if there is to be one. */
const brokerOf = (bus: GatewayOptions['bus']): Readonly<Record<string, Check>> => {
  if (bus === undefined) return {};
  let connected: Bus | undefined;
  void Promise.resolve(bus).then((there) => {
    connected = there;
  });
  const broker = async (): Promise<void> => {
    if (!connected) throw new Error('the broker is not there yet');
    await connected.ping();
  };
  return { broker };
};

/** The check of access tokens, and the keys behind it. Without an authorizer nobody can tell. */
const verifierOf = (authorizerUrl: string | undefined, issuer: string) => {
  if (authorizerUrl === undefined) {
    const verify = () => Promise.reject(unavailable('There is no authorizer.'));
    return { keys: undefined, verify, prepare: () => undefined };
  }
  const keys = createKeySet({ url: new URL(JWKS_PATH, authorizerUrl).href });
  const prepare = () => void keys.refresh().catch(() => undefined);
  return { keys, verify: verifyAccessToken({ keys, issuer }), prepare };
};

/**
 * Starts the gateway. Resolves when it accepts requests; it answers 503 below the prefixes of services that it has never reached.
 * @throws {StartFault} when a port cannot be had
 */
export const startGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const { host, tls, publicUrl, serviceSecret, logger, metrics, dataDirectory } = options;
  const { trustProxy = [], accessLog = loggedAccess(logger) } = options;
  const urls = urlsOf(options.services);
  const [authorizerUrl, catalogUrl] = [urls.get('authorizer'), urls.get('catalog')];
  const gatewayMetrics = createGatewayMetrics(metrics);
  const limits = createLimits(options.limits);
  const addressesOf = createAddressFactory(logger, options.resolve);
  const authorizerClient = createAuthorizerClient({
    url: authorizerUrl,
    secret: serviceSecret,
    addressesOf,
  });
  const authorize = createAuthorize(authorizerClient, (found) => gatewayMetrics.lookedUp('decisions', found));
  const revocations = createRevocations({
    authorizerClient,
    clientChanged: authorize.forget,
    logger,
  });
  const { keys, verify, prepare } = verifierOf(authorizerUrl, publicUrl);
  const routing = createRouting({ configured: [...urls.keys()], own: ownRoutes, logger });
  const responseCache = createResponseCache((found) => gatewayMetrics.lookedUp('answers', found));
  const forwarding = createForwarding({
    urls,
    addressesOf,
    limits,
    responseCache,
    metrics: gatewayMetrics,
    logger,
    timeouts: options.timeouts,
  });
  const pointsOfSale =
    authorizerUrl === undefined || catalogUrl === undefined
      ? undefined
      : createPointsOfSale({
          catalogUrl,
          credentials: createServiceCredentials({ authorizerUrl, service: 'gateway', secret: serviceSecret, keys }),
          logger,
        });
  const cors = createCors(pointsOfSale, publicUrl);
  const descriptionCache =
    dataDirectory === undefined ? noDescriptionCache : createDescriptionCache(join(dataDirectory, 'gateway'));

  const isTrusted = createTrust(trustProxy);
  const hsts = hstsOf(options.hstsSeconds);
  const app = createPipeline({
    peerOf: createPeers(isTrusted),
    hsts,
    countAddress: limits.countAddress,
    preflight: cors.preflight,
    allowOrigin: cors.allow,
    findRoute: routing.step,
    checkToken: createBearer({ verify, revocations }),
    countCaller: limits.countCaller,
    answerOwn: createOwnOperations(createDocuments(routing, publicUrl), (error) =>
      logger.error('a request failed', { error }),
    ),
    refuseOrigin: cors.refuse,
    answerCached: responseCache.step,
    authorize: authorize.step,
    forward: forwarding.step,
    accessLog,
    onCompleted: gatewayMetrics.completed,
    logger,
  });

  const learners = new Map(
    [...urls].map(([service, url]) => [
      service,
      createLearner({
        service,
        url,
        descriptionCache,
        logger,
        everyMs: options.learnEveryMs,
        brokerMs: options.brokerMs,
        onDescription: ({ document }) => {
          routing.learn(service, document);
          if (service === 'authorizer') prepare();
        },
      }),
    ]),
  );
  await Promise.all([...learners.values()].map((learner) => learner.restore()));

  const health = createHealth();
  const onRefused = options.onRefused ?? logRefused(logger);
  const { farewellMs } = options;
  const admit = createConnectionLimit({
    most: options.addressConnections,
    isTrusted,
    onRefused: gatewayMetrics.connectionRefused,
    logger,
  });
  const common = { host, health, admit, onRefused, farewellMs };
  const guarded = (headers: Readonly<Record<string, string>>) => ({ headers, refuse: refuseByLine(headers) });
  const https = await listen(app.listener(true), {
    ...common,
    ...guarded(securityHeaders(hsts)),
    tls,
    port: options.port,
    setting: 'GATEWAY_PORT',
  });
  const http = await listen(app.listener(false), {
    ...common,
    ...guarded(securityHeaders(undefined)),
    port: options.httpPort,
    setting: 'GATEWAY_HTTP_PORT',
  }).catch(async (error: unknown) => {
    await https.close(0);
    throw error;
  });
  for (const learner of learners.values()) learner.start();
  const renewal = tls.files && followCertificate({ files: tls.files, renew: https.renew, logger });
  const revocationUpdates = startRevocationUpdates({
    revocations,
    bus: options.bus,
    polls: authorizerUrl !== undefined,
    logger,
  });
  if (authorizerClient.addresses) gatewayMetrics.watch('authorizer_decisions', authorizerClient.addresses);
  if (metrics) {
    watchCertificate(metrics, 'gateway', https.certificate);
    watchSurroundings(metrics, { name: 'gateway', version: VERSION }, brokerOf(options.bus));
  }
  health.ready(Object.fromEntries([...learners].map(([name, { check }]) => [name, check])));

  return {
    httpsUrl: https.url,
    httpUrl: http.url,
    httpsPort: https.port,
    httpPort: http.port,
    health,
    ready: async () => {
      await Promise.all([...learners.values()].map((learner) => learner.ready));
    },
    async close() {
      health.stopping();
      forwarding.stopping();
      for (const learner of learners.values()) learner.close();
      renewal?.close();
      await Promise.all([https.close(), http.close(), revocationUpdates.close()]);
      await app.idle();
      forwarding.close();
      authorizerClient.close();
      accessLog.flush();
    },
  };
};
