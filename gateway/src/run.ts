import { setFlagsFromString } from 'node:v8';
import {
  type Certificate,
  type CertificateFiles,
  createLogger,
  createMetrics,
  createStop,
  DRAIN_MS,
  ensureDevelopmentCertificate,
  ensureDirectory,
  failStart,
  type Logger,
  type LogLevel,
  listReachableHosts,
  readCertificate,
  readServerSettings,
  type Settings,
  type Stop,
  serveOperations,
  startTraces,
  trustAuthorities,
  watchDirectory,
} from '@boxoffice/runtime';
import { followServices } from '@boxoffice/runtime/services';
import { type gatewaySettings, standaloneSettings, toGatewayOptions } from './settings.ts';
import { startGateway } from './start.ts';
import { type AccessLog, createAccessLog, createBufferedAccessLog } from './telemetry/request-log.ts';

/** The files are configured and may be renewed, or those of a development certificate with its authority. */
interface GatewayCertificate extends Certificate {
  readonly files?: CertificateFiles;
  readonly caFile?: string;
}

/** Configured, or a development certificate stored in the directory. @throws {StartFault} */
export async function ensureCertificate(
  settings: Pick<Settings<typeof gatewaySettings>, 'certificate' | 'publicUrl' | 'host'>,
  directory: string,
): Promise<GatewayCertificate> {
  const { certificate: files, publicUrl, host } = settings;
  if (files) return { ...readCertificate(files), files };
  const hosts = [new URL(publicUrl).hostname, ...listReachableHosts(host)];
  return ensureDevelopmentCertificate(ensureDirectory(directory, 'BOXOFFICE_DATA_DIR'), hosts);
}

/** Writes buffered JSON lines on standard output, or readable lines in a terminal. */
export function openAccessLog(logger: Logger, level: LogLevel): AccessLog {
  if (level === 'warn' || level === 'error') return { record: () => undefined, flush: () => undefined };
  return process.stdout.isTTY
    ? createAccessLog(logger)
    : createBufferedAccessLog((lines) => process.stdout.write(lines));
}

/**
 * V8 takes the objects of requests for long-lived ones under load while its young generation is small: each keeps its
 * whole request until a full collection. Measured: a fifth of the processor time of a forwarded request.
 */
const keepRequestsYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring');

type GatewaySettings = Settings<typeof standaloneSettings>;

/** Runs until SIGTERM; a setting or port that prevents the start is printed. */
export async function runGateway(): Promise<void> {
  await run().catch(failStart);
}

const run = async (): Promise<void> => {
  keepRequestsYoung();
  const settings = await readServerSettings(standaloneSettings);
  trustAuthorities(settings.tlsCaFile);
  const logger = createLogger({ service: 'gateway', level: settings.logLevel });
  const stop = createStop(logger);
  stop.onSignal();
  stop.onFault();
  await stop.during(serve(settings, logger, stop));
};

const serve = async (settings: GatewaySettings, logger: Logger, stop: Stop): Promise<void> => {
  const { dataDirectory, operationsPort, host } = settings;
  const traces = await startTraces({ ...settings, logger });
  stop.add('traces', () => traces.close());
  const tls = await ensureCertificate(settings, dataDirectory);
  const metrics = operationsPort === undefined ? undefined : await createMetrics();
  if (metrics) watchDirectory(metrics, dataDirectory);

  const serviceList = followServices({ file: settings.servicesFile, logger });
  stop.add('services file', () => serviceList.close());
  const gateway = await startGateway({
    ...toGatewayOptions(settings),
    tls,
    services: settings.serviceUrls,
    serviceList,
    serviceSecret: settings.serviceSecret,
    dataDirectory,
    logger,
    accessLog: openAccessLog(logger, settings.logLevel),
    metrics,
    drainMs: DRAIN_MS,
  });
  stop.add('gateway', () => gateway.close());
  if (metrics && operationsPort !== undefined) {
    const operations = await serveOperations({ host, port: operationsPort, metrics, health: gateway.health });
    stop.add('operations', () => operations.close());
  }
  logger.info('listening', { url: gateway.httpsUrl });
};
