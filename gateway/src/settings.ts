import {
  amqpUrl,
  cidrs,
  dataDirectory,
  differentPorts,
  gatewayCertificate,
  gatewayPort,
  host,
  integer,
  logLevel,
  operationsPort,
  port,
  publicUrl,
  type Settings,
  serviceSecretOf,
  tlsCaFile,
  traceSettings,
} from '@boxoffice/runtime';
import { servicesFile, serviceUrls } from '@boxoffice/runtime/services';
import type { GatewayOptions } from './options.ts';

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
  serviceSecret: serviceSecretOf('gateway'),
  servicesFile,
  serviceUrls,
  ports: differentPorts(gatewayPort, gatewaySettings.gatewayHttpPort, operationsPort),
  tlsCaFile,
};

/** The gateway options that follow from the settings; the caller adds the rest. */
export const optionsFrom = (
  settings: Settings<typeof gatewaySettings>,
): Pick<GatewayOptions, 'host' | 'port' | 'httpPort' | 'publicUrl' | 'trustProxy' | 'limits' | 'hstsSeconds'> => ({
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
});
