import type { Bus } from '@boxoffice/messaging';
import {
  amqpUrl,
  type Certificate,
  type CertificateFiles,
  cidrs,
  dataDirectory,
  declareServiceSecret,
  gatewayCertificate,
  gatewayPort,
  type Health,
  host,
  integer,
  type Logger,
  logLevel,
  type Metrics,
  type OnRefused,
  operationsPort,
  port,
  publicUrl,
  type Resolve,
  requireDifferentPorts,
  type Settings,
  tlsCaFile,
  traceSettings,
} from '@boxoffice/runtime';
import { type ServiceList, servicesFile, serviceUrls } from '@boxoffice/runtime/services';
import type { UpstreamTimeouts } from './forwarding/forwarding.ts';
import type { LimitOptions } from './limits/limits.ts';
import type { ServiceUrls } from './routing/router.ts';
import type { AccessLog } from './telemetry/request-log.ts';

/** What a gateway is started with. */
export interface GatewayOptions {
  readonly host: string;
  /** The HTTPS port; 0 selects a free one. */
  readonly port: number;
  /** The plain HTTP port. */
  readonly httpPort: number;
  /** With the files that it was read from, if renewed files are to be reloaded. */
  readonly tls: Certificate & { readonly files?: CertificateFiles };
  /** The public base URL, which is also the issuer of access tokens. */
  readonly publicUrl: string;
  /** CIDR ranges of the proxies whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxy?: readonly string[];
  /** The URLs of services from settings, before those of `serviceList`; a service without one has no routes. */
  readonly services: ServiceUrls;
  /** The services that there are; default: the built-in ones. The caller closes it after the gateway. */
  readonly serviceList?: ServiceList;
  /** SERVICE_SECRET of the gateway. */
  readonly serviceSecret: string;
  /** Where the last known descriptions are cached; undefined disables the cache. */
  readonly dataDirectory?: string;
  /** Requests per minute. */
  readonly limits: LimitOptions;
  /** `max-age` of `Strict-Transport-Security` on responses over TLS; undefined omits the header. */
  readonly hstsSeconds?: number;
  /** Delivers revocations at once; without it they are polled within seconds. May still be connecting. */
  readonly bus?: Bus | Promise<Bus | undefined>;
  readonly logger: Logger;
  /** Default: the logger. */
  readonly accessLog?: AccessLog;
  /** Called for requests that the HTTP parser refuses, which never reach the access log. Default: the logger. */
  readonly onRefused?: OnRefused;
  readonly metrics?: Metrics;
  readonly timeouts?: UpstreamTimeouts;
  /** Resolves service names. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** See ListenOptions. */
  readonly drainMs?: number;
  /** Interval between two reads of a built-in service's description. Milliseconds. */
  readonly learnEveryMs?: number;
  /** Interval between two reports of counted requests. Milliseconds; see Meter. */
  readonly reportEveryMs?: number;
  /** Requests in flight per service. Default: 2,000. */
  readonly concurrency?: number;
  /** Time after which a service that lacks only its broker counts as ready. Milliseconds. */
  readonly brokerMs?: number;
}

/** A running gateway. */
export interface Gateway {
  readonly httpsUrl: string;
  readonly httpUrl: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly health: Health;
  /** Resolves when every configured service has been ready once; see Learner for a service without its broker. */
  ready(): Promise<void>;
  /** Stops accepting requests, finishes those in flight and releases all resources. */
  close(): Promise<void>;
}

const perMinute = (name: string, standard: number) => integer(name, { default: standard, min: 1 });

/** Default of HSTS_SECONDS with a configured certificate: one year. */
const HSTS_SECONDS = 31_536_000;

/** The settings of every gateway, standalone or in one process with the services. */
export const gatewaySettings = {
  gatewayPort,
  gatewayHttpPort: port('GATEWAY_HTTP_PORT', { default: 8080 }),
  host,
  publicUrl,
  trustProxy: cidrs('TRUST_PROXY'),
  certificate: gatewayCertificate,
  rateLimitPerMinute: perMinute('RATE_LIMIT_PER_MINUTE', 60_000),
  addressLimitPerMinute: perMinute('ADDRESS_LIMIT_PER_MINUTE', 120_000),
  posRateLimitPerMinute: perMinute('POS_RATE_LIMIT_PER_MINUTE', 6_000),
  hstsSeconds: integer('HSTS_SECONDS', { optional: true, min: 0 }),
};

/** The additional settings of a standalone gateway. */
export const standaloneSettings = {
  ...gatewaySettings,
  ...traceSettings,
  dataDirectory,
  logLevel,
  operationsPort,
  amqpUrl,
  serviceSecret: declareServiceSecret('gateway'),
  servicesFile,
  serviceUrls,
  ports: requireDifferentPorts(gatewayPort, gatewaySettings.gatewayHttpPort, operationsPort),
  tlsCaFile,
};

/** The gateway options that follow from the settings; the caller adds the rest. */
export function toGatewayOptions(
  settings: Settings<typeof gatewaySettings>,
): Pick<GatewayOptions, 'host' | 'port' | 'httpPort' | 'publicUrl' | 'trustProxy' | 'limits' | 'hstsSeconds'> {
  return {
    host: settings.host,
    port: settings.gatewayPort,
    httpPort: settings.gatewayHttpPort,
    publicUrl: settings.publicUrl,
    trustProxy: settings.trustProxy,
    limits: {
      client: settings.rateLimitPerMinute,
      address: settings.addressLimitPerMinute,
      session: settings.posRateLimitPerMinute,
    },
    hstsSeconds: settings.hstsSeconds ?? (settings.certificate ? HSTS_SECONDS : undefined),
  };
}
