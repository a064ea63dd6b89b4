import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { ensureCertificate, type Gateway, openAccessLog, startGateway, toGatewayOptions } from '@boxoffice/gateway';
import {
  createLogger,
  createMetrics,
  createStop,
  DRAIN_MS,
  deriveServiceSecret,
  failStart,
  type Logger,
  logRefusals,
  type Metrics,
  type Stop,
  serveOperations,
  startTraces,
  trustAuthorities,
  watchDirectory,
} from '@boxoffice/runtime';
import { followServices } from '@boxoffice/runtime/services';
import { type Engines, openEngines } from '@boxoffice/service';
import { type DemoCredentials, getDemoFile } from './demo/credentials.ts';
import { ensureDemo, formatDoorClientIds, openProgress, progressCollections } from './demo/seed.ts';
import { lowerLogLevel, type Services, servedQueues, startServices, warnOfMissing } from './installation.ts';
import { describeStorage, lockDirectory, recordRunning } from './running.ts';
import { createProgressLine, type ProgressLine, renderScreen } from './screen.ts';
import { type LocalSettings, readLocalSettings } from './settings.ts';

interface Program {
  readonly settings: LocalSettings;
  readonly logger: Logger;
  readonly stop: Stop;
  readonly engines: Engines;
}

/** The services run as long as the gateway, so their descriptions stay the same. Milliseconds. */
const LEARN_EVERY_MS = 60_000;

/** Starts the product; `stop` closes what it started, also after a fault. @throws {StartFault} */
export async function compose(settings: LocalSettings, logger: Logger, stop: Stop): Promise<void> {
  const line = createProgressLine(process.stdout);
  await composeWith(line, settings, logger, stop).finally(line.end);
}

const openGateway = async (
  { settings, stop }: Program,
  services: Services,
  tls: Awaited<ReturnType<typeof ensureCertificate>>,
  metrics: Metrics | undefined,
): Promise<Gateway> => {
  const { logLevel: level } = settings;
  const accessLogger = createLogger({ service: 'gateway', level });
  const logger = createLogger({ service: 'gateway', level: lowerLogLevel(level) });
  const serviceList = followServices({ file: settings.servicesFile, logger });
  stop.add('services file', () => serviceList.close());
  const gateway = await startGateway({
    ...toGatewayOptions(settings),
    tls,
    services: services.urls,
    serviceList,
    serviceSecret: deriveServiceSecret(settings.serviceRootSecret, 'gateway'),
    dataDirectory: settings.directory,
    logger,
    accessLog: openAccessLog(accessLogger, level),
    onRefused: logRefusals(accessLogger),
    metrics,
    drainMs: DRAIN_MS,
    learnEveryMs: LEARN_EVERY_MS,
  });
  stop.add('gateway', () => gateway.close());
  return gateway;
};

const seedDemo = async (
  { settings, engines, stop }: Program,
  services: Services,
  caFile: string | undefined,
  line: ProgressLine,
  onBegin: () => void,
): Promise<DemoCredentials | undefined> => {
  if (!settings.demo) return undefined;
  const { directory, mongodbUrl, publicUrl, serviceRootSecret } = settings;
  return ensureDemo({
    stores: services.stores,
    progress: openProgress(await engines.store('local', progressCollections)),
    directory,
    urls: services.urls,
    serviceRootSecret,
    addresses: { baseUrl: publicUrl, posUrl: publicUrl, caFile: caFile ?? String(settings.certificate?.cert.path) },
    now: new Date(),
    tell: line.tell,
    onBegin,
    trouble: services.trouble,
    waitsFor: mongodbUrl === undefined ? undefined : describeStorage(mongodbUrl),
    signal: stop.signal,
  }).finally(line.end);
};

const composeWith = async (line: ProgressLine, settings: LocalSettings, logger: Logger, stop: Stop): Promise<void> => {
  const { directory, mongodbUrl, amqpUrl, operationsPort, host, publicUrl } = settings;
  if (mongodbUrl === undefined || amqpUrl === undefined) stop.add('lock', await lockDirectory(directory));
  // The first start takes half a minute, the next ones two seconds.
  if (settings.demo && !existsSync(getDemoFile(directory))) line.tell('first the services start, then it is created …');
  const traces = await startTraces({ ...settings, logger });
  stop.add('traces', () => traces.close());
  const tls = await ensureCertificate(settings, directory);
  const metrics = operationsPort === undefined ? undefined : await createMetrics();
  if (metrics) watchDirectory(metrics, directory);
  if (mongodbUrl === undefined) warnOfMissing(directory, logger);
  const engines = await openEngines({ mongodbUrl, amqpUrl, directory, logger, serves: servedQueues });
  stop.add('engines', () => engines.close());

  // The catalog is ready once its demo data exists, and so is the gateway, which waits for it once.
  let seeded = false;
  const demoData = async (): Promise<void> => {
    if (!seeded) throw new Error('the demo data is not there yet');
  };
  let demo: DemoCredentials | undefined;
  let isSeeding = false;
  const services = await startServices({
    settings,
    engines,
    stop,
    metrics,
    checks: { 'demo data': demoData },
    hasDemoData: () => isSeeding || demo !== undefined,
    demoDoorClientIds: () => (demo ? formatDoorClientIds(demo) : ''),
  });
  const program: Program = { settings, logger, stop, engines };
  // Before the seeding, so that an occupied port is reported at once.
  const gateway = await openGateway(program, services, tls, metrics);
  const urls = { gateway: gateway.httpUrl, ...services.urls };
  stop.add(
    'note',
    recordRunning(directory, {
      store: describeStorage(mongodbUrl),
      urls,
      publicUrl,
      gatewayUrl: gateway.httpsUrl,
      caFile: tls.caFile,
    }),
  );
  if (metrics && operationsPort !== undefined) {
    const operations = await serveOperations({ host, port: operationsPort, metrics, health: gateway.health });
    stop.add('operations', () => operations.close());
  }
  demo = await seedDemo(program, services, tls.caFile, line, () => {
    isSeeding = true;
  });
  isSeeding = false;
  seeded = true;
  await gateway.ready();
  if (stop.signal.aborted) return;

  const lines = renderScreen({
    publicUrl,
    httpUrl: gateway.httpUrl,
    caFile: tls.caFile,
    demoFile: demo && getDemoFile(directory),
    keepsMails: (demo !== undefined || settings.paymentSimulator) && settings.mailServer === undefined,
    directory,
    engines: `${engines.storeEngine}, ${engines.busEngine}`,
    requestsAreLogged: settings.logLevel === 'info' || settings.logLevel === 'debug',
    // Since the process started: the time that the user has waited.
    seconds: performance.now() / 1000,
  });
  process.stdout.write(`${lines.join('\n')}\n`);
  // A killed process never writes its cache.
  flushCompileCache();
};

/** Prints the fault and exits with status 1 if it cannot start. */
export async function start(): Promise<void> {
  await run().catch(failStart);
}

const run = async (): Promise<void> => {
  const settings = await readLocalSettings();
  trustAuthorities(settings.tlsCaFile);
  const logger = createLogger({ service: 'local', level: settings.logLevel });
  const stop = createStop(logger);
  stop.onSignal();
  stop.onFault();
  await stop.during(compose(settings, logger, stop));
};
