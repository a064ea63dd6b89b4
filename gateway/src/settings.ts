import {
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

export interface GatewayOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly httpPort: number;
  /** Has its files, if renewed ones are to be reloaded. */
  readonly tls: Certificate & { readonly files?: CertificateFiles };
  /** It is also the issuer of access tokens. */
  readonly publicUrl: string;
  /** CIDR ranges. */
  readonly trustProxy?: readonly string[];
  /** Settings come before `serviceList`; a service without a URL has no routes. */
  readonly services: ServiceUrls;
  /** Default: the built-in ones. The caller closes it after the gateway. */
  readonly serviceList?: ServiceList;
  readonly serviceSecret: string;
  /** The last known descriptions are cached there; undefined: nowhere. */
  readonly dataDirectory?: string;
  readonly limits: LimitOptions;
  /** Undefined omits `Strict-Transport-Security`. */
  readonly hstsSeconds?: number;
  readonly logger: Logger;
  readonly accessLog?: AccessLog;
  /** Called for requests that the HTTP parser refuses, which never reach the access log. Default: the logger. */
  readonly onRefused?: OnRefused;
  readonly metrics?: Metrics;
  readonly timeouts?: UpstreamTimeouts;
  readonly resolve?: Resolve;
  /** See ListenOptions. */
  readonly drainMs?: number;
  /** Milliseconds between two reads of a built-in service's description. */
  readonly learnEveryMs?: number;
  /** Milliseconds between two reports of counted requests; see Meter. */
  readonly reportEveryMs?: number;
  /** Requests in flight per service. Default: 2,000. */
  readonly concurrency?: number;
  /** Milliseconds until a service that lacks only its broker counts as ready. */
  readonly brokerMs?: number;
}

export interface Gateway {
  readonly httpsUrl: string;
  readonly httpUrl: string;
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly health: Health;
  /** Resolves when every configured service has been ready once; see Learner for one without its broker. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

const perMinute = (name: string, standard: number) => integer(name, { default: standard, min: 1 });

/** One year, with a configured certificate. */
const HSTS_SECONDS = 31_536_000;

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

export const standaloneSettings = {
  ...gatewaySettings,
  ...traceSettings,
  dataDirectory,
  logLevel,
  operationsPort,
  serviceSecret: declareServiceSecret('gateway'),
  servicesFile,
  serviceUrls,
  ports: requireDifferentPorts(gatewayPort, gatewaySettings.gatewayHttpPort, operationsPort),
  tlsCaFile,
};

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
