export {
  type Certificate,
  type CertificateFiles,
  certificateFiles,
  followCertificate,
  readCertificate,
  trustAuthorities,
} from './certificates.ts';
export {
  type Addresses,
  type Attempt,
  createAddresses,
  type Endpoint,
  networkOf,
  type Resolve,
} from './connections/addresses.ts';
export { createHttpClient, type HttpAnswer, type HttpCall, isLastAnswer } from './connections/http-client.ts';
export { developmentCertificate, hostsReaching } from './development-certificate.ts';
export { ensureDirectory, replaceFile } from './files.ts';
export { base32, derivedId, digestOf, idPattern, newId, randomId } from './ids.ts';
export { DRAIN_MS, SERVICE_DRAIN_MS } from './listen/drain.ts';
export { type Check, createHealth, type Health, VERSION_HEADER } from './listen/health.ts';
export { type Listening, type ListenOptions, listen, listeningPorts, serveOperations } from './listen/listen.ts';
export { logRefused, type OnRefused, type Refusal, type Refuse } from './listen/refusal.ts';
export { createLogger, type LogFields, type Logger, type LogLevel, logLevels } from './logger.ts';
export { ownMember } from './members.ts';
export {
  createMetrics,
  type Meter,
  type Metrics,
  nameOperation,
  type Observe,
  type Reading,
  statusOf,
  watchCertificate,
  watchDirectory,
  watchSurroundings,
} from './metrics.ts';
export { endWithReader } from './output.ts';
export { readStoredSecret, seal, sealingKey, storeSecret, unseal } from './secrets.ts';
export * from './settings/kinds.ts';
export {
  differentPorts,
  type Environment,
  readServerSettings,
  readSettings,
  requireSetting,
  type Setting,
  type Settings,
  SettingsFault,
  type SettingsSpec,
} from './settings/settings.ts';
export * from './settings/shared.ts';
export { explain, failStart, reasonOf, StartFault } from './settings/start-fault.ts';
export { createStop, type Stop } from './stop.ts';
export * from './time.ts';
export * from './tracing.ts';
export { versionOf } from './version.ts';
