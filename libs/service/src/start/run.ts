import { collectDeclarations, connectRabbitmq } from '@boxoffice/messaging';
import {
  amqpUrl,
  createLogger,
  createMetrics,
  createStop,
  declareServiceSecret,
  declareServiceSecretFromRoot,
  failStart,
  followCertificate,
  host,
  type Logger,
  logLevel,
  mongodbUrl,
  openPersistently,
  operationsPort,
  port,
  publicUrl,
  readCertificate,
  readServerSettings,
  requireSetting,
  SERVICE_DRAIN_MS,
  type Setting,
  type Settings,
  type SettingsSpec,
  type Stop,
  serveOperations,
  serviceCertificate,
  startTraces,
  tlsCaFile,
  traceSettings,
  trustAuthorities,
  url,
} from '@boxoffice/runtime';
import { builtInRows, isBuiltIn, type ServicesFile, servicesFile } from '@boxoffice/runtime/services';
import { openMongoStore } from '@boxoffice/store';
import type { ServiceDefinition } from '../definition.ts';
import { getTraceparent } from '../engines.ts';
import { startService } from './start.ts';

/** The embedded engines serve one process, not a standalone service. */
const engineUrl = (setting: Setting<string | undefined>, engine: string): Setting<string> =>
  requireSetting(
    setting,
    `is not set; a standalone service needs ${engine}, since the embedded engines serve one process (npm start)`,
  );

const common = {
  ...traceSettings,
  port: port('PORT', { default: 8081 }),
  host,
  logLevel,
  operationsPort,
  publicUrl,
  mongodbUrl: engineUrl(mongodbUrl, 'MongoDB'),
  amqpUrl: engineUrl(amqpUrl, 'RabbitMQ'),
  certificate: serviceCertificate,
  tlsCaFile,
  servicesFile,
};

/** For so many milliseconds a request waits for a service that is starting: below the gateway's 15,000. */
const START_WAIT_MS = 10_000;

/** Time limit of RabbitMQ before the log reports that the service waits for it. */
const CONNECT_MS = 5_000;

const authorizerUrl = url('AUTHORIZER_URL', { optional: true, origin: true });

const requiredAuthorizerUrl: Setting<string | undefined> = requireSetting(
  authorizerUrl,
  'is not set; expected the address of the authorizer, like http://authorizer:8081',
);

/** The authorizer also calls itself, under a name in its certificate. */
const ownUrl: Setting<string | undefined> = {
  name: authorizerUrl.name,
  read(env) {
    const value = authorizerUrl.read(env);
    if (value !== undefined || env[serviceCertificate.name] === undefined) return value;
    throw new Error(
      `is not set; with ${serviceCertificate.name} the authorizer needs the address that its certificate names`,
    );
  },
};

type CommonSettings = Settings<
  typeof common & { authorizerUrl: typeof requiredAuthorizerUrl; serviceSecret: Setting<string> }
>;

/** Listens when it is ready or the first attempt to open MongoDB has failed. Exits with status 1 if it cannot start. */
export async function runService<Spec extends SettingsSpec, State>(
  definition: ServiceDefinition<Spec, State>,
): Promise<void> {
  await run(definition).catch(failStart);
}

const run = async <Spec extends SettingsSpec, State>(definition: ServiceDefinition<Spec, State>): Promise<void> => {
  const { settings, own } = await readAll(definition);
  trustAuthorities(settings.tlsCaFile);
  const logger: Logger = createLogger({ service: definition.name, level: settings.logLevel });
  const stop = createStop(logger);
  stop.onSignal();
  stop.onFault();
  await stop.during(serve(definition, settings, own, logger, stop));
};

/** Read at once, so that all faults are reported together. */
const readAll = async <Spec extends SettingsSpec, State>({ name, settings }: ServiceDefinition<Spec, State>) => {
  const read: unknown = await readServerSettings({
    ...settings,
    ...common,
    authorizerUrl: name === 'authorizer' ? ownUrl : requiredAuthorizerUrl,
    serviceSecret: name === 'authorizer' ? declareServiceSecretFromRoot(name) : declareServiceSecret(name),
  });
  return { settings: read as CommonSettings, own: read as Settings<Spec> };
};

const serve = async <Spec extends SettingsSpec, State>(
  definition: ServiceDefinition<Spec, State>,
  settings: CommonSettings,
  own: Settings<Spec>,
  logger: Logger,
  stop: Stop,
): Promise<void> => {
  const { name, collections } = definition;
  const { certificate } = settings;
  const traces = await startTraces({ ...settings, logger });
  stop.add('traces', () => traces.close());
  const store = openPersistently('MongoDB', logger, () =>
    openMongoStore({ url: settings.mongodbUrl, name, collections, trace: getTraceparent, logger }),
  );
  const bus = openPersistently('RabbitMQ', logger, () =>
    connectRabbitmq({
      url: settings.amqpUrl,
      logger,
      name,
      connectTimeoutMs: CONNECT_MS,
      declared: declaredFor(name, settings.servicesFile),
    }),
  );
  stop.add('store', async () => (await store.orNothing())?.close());
  stop.add('broker', async () => (await bus.orNothing())?.close());

  stop.signal.addEventListener('abort', () => {
    store.cancel();
    bus.cancel();
  });

  const metrics = settings.operationsPort === undefined ? undefined : await createMetrics();
  const usedAuthorizerUrl = name === 'authorizer' && !certificate ? undefined : settings.authorizerUrl;
  // While the port is closed, callers use other instances: it opens after the CPU-bound work of the start. Without its
  // database an instance listens at once, and /health/ready says so.
  const listensWhenReady = (await store.tried) && usedAuthorizerUrl !== undefined;
  const service = startService(definition, {
    store: store.opened,
    bus: bus.opened,
    authorizerUrl: usedAuthorizerUrl,
    listensWhenReady,
    publicUrl: settings.publicUrl,
    serviceSecret: settings.serviceSecret,
    host: settings.host,
    port: settings.port,
    tls: certificate && readCertificate(certificate),
    logger,
    settings: own,
    metrics,
    drainMs: SERVICE_DRAIN_MS,
    startWaitMs: START_WAIT_MS,
    provesSecret: name !== 'authorizer',
  });
  stop.add('service', async () => {
    await service.then(
      (running) => running.close(),
      () => undefined,
    );
  });
  const { url: address, health, complete, renew } = await service;
  const renewal = certificate && followCertificate({ files: certificate, renew, logger });
  stop.add('certificate', async () => renewal?.close());
  if (metrics && settings.operationsPort !== undefined) {
    const operations = await serveOperations({ host: settings.host, port: settings.operationsPort, metrics, health });
    stop.add('operations', () => operations.close());
  }
  logger.info('serving', { url: address });
  void complete.then(
    () => logger.info('ready', { url: address }),
    () => undefined,
  );
};

/** The product's facts, and of a team's service its own: no process waits for those of other teams. */
const declaredFor = (name: string, file: ServicesFile | undefined) =>
  collectDeclarations([...builtInRows, ...(file?.rows ?? []).filter((row) => row.name === name && !isBuiltIn(name))]);
