import { join } from 'node:path';
import { createAccessTokenVerifier, createKeySet, JWKS_PATH } from '@boxoffice/identity';
import {
  type Addresses,
  type Check,
  createAddresses,
  createHealth,
  followCertificate,
  listen,
  logRefusals,
  watchCertificate,
  watchSurroundings,
} from '@boxoffice/runtime';
import { createFixedServices, isBuiltIn, watchServicesFile } from '@boxoffice/runtime/services';
import { createApp } from './app.ts';
import { createApiKeys } from './authorization/api-keys.ts';
import { createAuthorize } from './authorization/authorize.ts';
import { createAuthorizerClient } from './authorization/authorizer-client.ts';
import { createBearer, createCredentials } from './authorization/credentials.ts';
import { createRevocations } from './authorization/revocations.ts';
import { createCors, createInstitutionCors } from './cors/cors.ts';
import { connectPointsOfSale, followOrigins } from './cors/origins.ts';
import { checkMergeable, createDocuments } from './descriptions/documents.ts';
import { createDescriptionCache, createLearner, createLearners, noDescriptionCache } from './descriptions/learners.ts';
import { ownRoutes, VERSION } from './descriptions/own-operations.ts';
import { createDocumentation } from './documentation/documentation.ts';
import { DOCS } from './documentation/guides.ts';
import { buildSecurityHeaders, formatHsts, refuseByLine } from './exchange/answer.ts';
import { createUnavailableFault } from './exchange/faults.ts';
import { createPeers, createTrust } from './exchange/peer.ts';
import { createForwarding } from './forwarding/forwarding.ts';
import { createResponseCache } from './forwarding/response-cache.ts';
import { createStreams } from './forwarding/streams.ts';
import { createLimits, type Limits } from './limits/limits.ts';
import { createExchanges } from './middleware/open-exchange.ts';
import { createPages, listUpstreams } from './routing/router.ts';
import { createRouting } from './routing/routing.ts';
import type { Gateway, GatewayOptions } from './settings.ts';
import { countExchange, createMeter, type Meter } from './telemetry/meter.ts';
import { createGatewayMetrics } from './telemetry/metrics.ts';
import { createAccessLog } from './telemetry/request-log.ts';
import { createSpool, noSpool } from './telemetry/spool.ts';

/** Milliseconds between two early reports, for a caller without a share and for one that needs more. */
const EARLY_MS = { urgent: 100, usual: 1_000 };

/** Resolves when it accepts requests. @throws {StartFault} when a port cannot be bound */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { host, tls, publicUrl, serviceSecret, logger, metrics, dataDirectory } = options;
  const { trustProxy = [], accessLog = createAccessLog(logger) } = options;
  const list = options.serviceList ?? createFixedServices();
  const upstreams = () => listUpstreams(list, options.services);
  const urls = new Map(upstreams().map(({ name, url }) => [name, url]));
  const authorizerUrl = urls.get('authorizer');
  const gatewayMetrics = createGatewayMetrics(metrics);
  const openAddresses = (upstream: string, url: string): Addresses =>
    createAddresses({
      url,
      resolve: options.resolve,
      onChange: (peer, state) => {
        if (state === 'open') logger.warn('circuit breaker open: an address of a service fails', { upstream, peer });
        else logger.info('circuit breaker closed: an address of a service answers again', { upstream, peer });
      },
    });
  const decisionAddresses = authorizerUrl === undefined ? undefined : openAddresses('authorizer', authorizerUrl);
  const authorizerClient = createAuthorizerClient({
    url: authorizerUrl,
    secret: serviceSecret,
    addresses: decisionAddresses,
  });
  const folder = dataDirectory === undefined ? undefined : join(dataDirectory, 'gateway');
  let isDividing = false;
  const meter: Meter = createMeter({
    async send(report) {
      // An authorizer of the release before refuses what it does not know.
      const isOwn = report.gateway === meter.gateway;
      const rates = isDividing && isOwn ? limits.rates(Date.now()) : undefined;
      const division = await authorizerClient.recordUsage({ ...report, ...(rates && { rates }) });
      isDividing = division !== undefined;
      if (division && isOwn) limits.divide(division, Date.now());
    },
    hasMore: () => isDividing && limits.rates(Date.now()).length > 0,
    spool: folder === undefined ? noSpool : createSpool(folder),
    logger,
    everyMs: options.reportEveryMs,
  });
  gatewayMetrics.watchMeter(meter);
  const limits: Limits = createLimits(
    options.limits,
    meter,
    early(() => meter.flush('nothing')),
  );
  const apiKeys = createApiKeys({
    authorizerClient,
    gateway: meter.gateway,
    lookedUp: (found) => gatewayMetrics.lookedUp('api_keys', found),
  });
  const decisions = createAuthorize(authorizerClient, (found) => gatewayMetrics.lookedUp('decisions', found));
  const revocations = createRevocations({
    authorizerClient,
    clientChanged: decisions.forget,
    logger,
  });
  const { keys, verify, prepare } = createVerifier(authorizerUrl, publicUrl);
  const bearer = createBearer({ verify, revocations });
  const streams = createStreams({ checks: [bearer.verify, decisions.decide], logger });
  const pages = createPages();
  const routing = createRouting({ pages, own: ownRoutes, logger });
  const responseCache = createResponseCache((found) => gatewayMetrics.lookedUp('answers', found));
  const forwarding = createForwarding({
    openAddresses,
    limits,
    streams,
    responseCache,
    metrics: gatewayMetrics,
    logger,
    publicUrl,
    timeouts: options.timeouts,
    concurrency: options.concurrency,
  });
  const pointsOfSale = connectPointsOfSale({ urls, serviceSecret, keys, logger });
  const origins = followOrigins({
    authorizerClient: authorizerUrl === undefined ? undefined : authorizerClient,
    logger,
  });
  const institutionCors = createInstitutionCors({ origins, isPage: pages.isPage, methodsAt: routing.methodsAt });
  const cors = createCors(pointsOfSale, publicUrl, institutionCors);
  const descriptionCache = folder === undefined ? noDescriptionCache : createDescriptionCache(folder);

  const hsts = formatHsts(options.hstsSeconds);
  const exchanges = createExchanges({
    peerOf: createPeers(createTrust(trustProxy)),
    hsts,
    hasErrorPages: pages.hasErrorPages,
    onCompleted: (exchange) => {
      accessLog.record(exchange);
      gatewayMetrics.recordExchange(exchange);
      countExchange(meter, exchange);
    },
  });
  const app = createApp({
    exchanges,
    limits,
    pages,
    cors,
    routing,
    credentials: createCredentials({ bearer, apiKeys }),
    documents: createDocuments(routing, publicUrl),
    documentation: createDocumentation(publicUrl, urls.has('pos') ? '/shop/' : DOCS),
    responseCache,
    decisions,
    forwarding,
    logger,
  });

  const learners = createLearners(({ name, url }) =>
    createLearner({
      service: name,
      url,
      descriptionCache,
      logger,
      everyMs: isBuiltIn(name) ? options.learnEveryMs : undefined,
      brokerMs: options.brokerMs,
      onDescription: ({ document }) => {
        if (!isBuiltIn(name)) checkMergeable(name, document);
        routing.learn(name, document);
        if (name === 'authorizer') prepare();
      },
    }),
  );
  const useServices = (): Promise<void> => {
    const now = upstreams();
    pages.update(list.rows(), now);
    routing.update(now);
    forwarding.update(now);
    return learners.update(now);
  };
  await useServices();
  const required = learners.builtIn();
  list.onChange(() => void useServices());

  const health = createHealth(undefined, VERSION);
  const onRefused = options.onRefused ?? logRefusals(logger);
  const { drainMs } = options;
  const common = { host, health, onRefused, drainMs };
  const createListenerOptions = (headers: Readonly<Record<string, string>>) => ({
    headers,
    refuse: refuseByLine(headers, pages.hasErrorPages),
  });
  const https = await listen(app, {
    ...common,
    ...createListenerOptions(buildSecurityHeaders(hsts)),
    tls,
    port: options.port,
    setting: 'GATEWAY_PORT',
  });
  const http = await listen(app, {
    ...common,
    ...createListenerOptions(buildSecurityHeaders(undefined)),
    port: options.httpPort,
    setting: 'GATEWAY_HTTP_PORT',
  }).catch(async (error: unknown) => {
    await https.close(0);
    throw error;
  });
  learners.start();
  meter.start();
  const renewal = tls.files && followCertificate({ files: tls.files, renew: https.renew, logger });
  if (authorizerUrl !== undefined) revocations.start();
  if (decisionAddresses) gatewayMetrics.watch('authorizer_decisions', decisionAddresses);
  if (metrics) {
    watchServicesFile(metrics, 'gateway', list);
    watchCertificate(metrics, 'gateway', https.certificate);
    watchSurroundings(metrics, { name: 'gateway', version: VERSION }, {});
  }
  const checks = [...required].map(([name, { check }]): [string, Check] => [
    name,
    name === 'authorizer' ? () => check().then(revocations.check) : check,
  ]);
  health.ready(Object.fromEntries(checks));

  return {
    httpsUrl: https.url,
    httpUrl: http.url,
    httpsPort: https.port,
    httpPort: http.port,
    health,
    ready: async () => {
      await Promise.all([...required.values()].map((learner) => learner.ready));
    },
    async close() {
      health.stopping();
      learners.close();
      renewal?.close();
      await streams.close();
      await Promise.all([https.close(), http.close(), revocations.close()]);
      await exchanges.idle();
      await Promise.all([origins.close(), meter.close()]);
      forwarding.close();
      accessLog.flush();
    },
  };
}

const early = (report: () => Promise<unknown>): ((isUrgent: boolean) => void) => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (isUrgent) => {
    const at = performance.now();
    if (at - reportedAt < (isUrgent ? EARLY_MS.urgent : EARLY_MS.usual)) return;
    reportedAt = at;
    void report();
  };
};

/** Without an authorizer, every token is refused with 503. */
const createVerifier = (authorizerUrl: string | undefined, issuer: string) => {
  if (authorizerUrl === undefined) {
    const verify = () => Promise.reject(createUnavailableFault('No authorizer is configured.'));
    return { keys: undefined, verify, prepare: () => undefined };
  }
  const keys = createKeySet({ url: new URL(JWKS_PATH, authorizerUrl).href });
  const prepare = () => void keys.refresh().catch(() => undefined);
  return { keys, verify: createAccessTokenVerifier({ keys, issuer }), prepare };
};
