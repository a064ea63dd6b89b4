import { type Bus, connectRabbitmq } from '@boxoffice/messaging';
import {
  createLogger,
  createMetrics,
  createStop,
  developmentCertificate,
  ensureDirectory,
  failStart,
  type Logger,
  type LogLevel,
  readCertificate,
  readSettings,
  reasonOf,
  type Settings,
  StartFault,
  serveOperations,
} from '@boxoffice/runtime';
import { type AccessLog, bufferedAccess, loggedAccess } from './access-log.ts';
import { serviceNames } from './services.ts';
import { type gatewaySettings, optionsFrom, standaloneSettings } from './settings.ts';
import { startGateway } from './start.ts';

/**
 * The certificate that the settings name, or a development one that is kept in the directory (then with the file that clients
 * trust it by). @throws {StartFault}
 */
export const certificateFrom = async (
  settings: Pick<Settings<typeof gatewaySettings>, 'tlsCertFile' | 'tlsKeyFile' | 'publicUrl'>,
  directory: string,
): Promise<{ readonly cert: string; readonly key: string; readonly caFile?: string }> => {
  const { tlsCertFile, tlsKeyFile, publicUrl } = settings;
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) return readCertificate(tlsCertFile, tlsKeyFile);
  if (tlsCertFile === undefined && tlsKeyFile === undefined) {
    return developmentCertificate(ensureDirectory(directory, 'BOXOFFICE_DATA_DIR'), [new URL(publicUrl).hostname]);
  }
  throw new StartFault('TLS_CERT_FILE and TLS_KEY_FILE belong together; only one of them is set');
};

/** The access log of a program: buffered JSON lines on standard output, or the logger's readable ones in a terminal. */
export const openAccessLog = (logger: Logger, level: LogLevel): AccessLog => {
  if (level === 'warn' || level === 'error') return { note: () => undefined, flush: () => undefined };
  return process.stdout.isTTY ? loggedAccess(logger) : bufferedAccess((lines) => process.stdout.write(lines));
};

const RETRY_MS = 1_000;

/** Connects to the broker, as often as it takes; undefined once nobody waits any more. */
const connectLater = async (url: string, logger: Logger, end: AbortSignal): Promise<Bus | undefined> => {
  while (!end.aborted) {
    try {
      return await connectRabbitmq({ url, logger });
    } catch (error) {
      logger.warn('waiting', { part: 'RabbitMQ', code: reasonOf(error) });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return undefined;
};

const run = async (): Promise<void> => {
  const settings = readSettings(standaloneSettings);
  const logger = createLogger({ service: 'gateway', level: settings.logLevel });
  const stop = createStop(logger);
  stop.onSignal();
  const { dataDirectory, amqpUrl, operationsPort, host } = settings;
  const tls = await certificateFrom(settings, dataDirectory);
  const metrics = operationsPort === undefined ? undefined : await createMetrics();

  const end = new AbortController();
  const bus = amqpUrl === undefined ? undefined : connectLater(amqpUrl, logger, end.signal);
  stop.add('broker', async () => {
    end.abort();
    await (await bus)?.close();
  });

  const gateway = await startGateway({
    ...optionsFrom(settings),
    tls,
    services: Object.fromEntries(serviceNames.map((name) => [name, settings[name]])),
    serviceSecret: settings.serviceSecret,
    dataDirectory,
    bus,
    logger,
    accessLog: openAccessLog(logger, settings.logLevel),
    metrics,
  });
  stop.add('gateway', () => gateway.close());
  if (metrics && operationsPort !== undefined) {
    const operations = await serveOperations({ host, port: operationsPort, metrics, health: gateway.health });
    stop.add('operations', () => operations.close());
  }
  logger.info('listening', { url: gateway.httpsUrl });
};

/** The main of a gateway that runs alone: reads the settings, serves, ends in order at SIGTERM; or prints why it cannot start. */
export const runGateway = async (): Promise<void> => {
  await run().catch(failStart);
};
