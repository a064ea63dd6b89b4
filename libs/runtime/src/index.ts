export {
  type Certificate,
  type CertificateFiles,
  certificateFiles,
  readCertificate,
} from './certificates/certificate.ts';
export { developmentCertificate } from './certificates/development.ts';
export { followCertificate } from './certificates/renewal.ts';
export { trustAuthorities } from './certificates/trust.ts';
export {
  type Addresses,
  type Attempt,
  createAddresses,
  type Endpoint,
  networkOf,
  type Resolve,
} from './connections/addresses.ts';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpCall,
  isLastAnswer,
} from './connections/http-client.ts';
export { base32, derivedId, digestOf, idPattern, newId, randomId } from './ids.ts';
export { DRAIN_MS, SERVICE_DRAIN_MS } from './listen/drain.ts';
export { type Check, createHealth, type Health } from './listen/health.ts';
export { type Listening, type ListenOptions, listen, listeningPorts } from './listen/listen.ts';
export { serveOperations } from './listen/operations.ts';
export { logRefused, type OnRefused, type Refusal, type Refuse } from './listen/refusal.ts';
export type { LogFields } from './logs/fields.ts';
export { createLogger, type Logger, type LogLevel, logLevels } from './logs/logger.ts';
export {
  createMetrics,
  type Meter,
  type Metrics,
  nameOperation,
  type Observe,
  type Reading,
  statusOf,
} from './metrics/metrics.ts';
export { watchCertificate, watchDirectory, watchSurroundings } from './metrics/process.ts';
export { seal, sealingKey, unseal } from './secrets/sealed.ts';
export { readStoredSecret, storeSecret } from './secrets/stored-secret.ts';
export { ensureDirectory } from './settings/data-directory.ts';
export * from './settings/kinds.ts';
export { differentPorts, requireSetting } from './settings/rules.ts';
export {
  type Environment,
  readServerSettings,
  readSettings,
  type Setting,
  type Settings,
  SettingsFault,
  type SettingsSpec,
} from './settings/settings.ts';
export { explain, failStart, reasonOf, StartFault } from './settings/start-fault.ts';
export * from './shared-settings/common.ts';
export {
  deriveServiceSecret,
  serviceRootSecret,
  serviceSecretFromRoot,
  serviceSecretOf,
} from './shared-settings/service-secret.ts';
export { createStop, type Stop } from './stop.ts';
export * from './time/index.ts';
export { persistently } from './time/persistently.ts';
export { startTraces, traceSettings } from './tracing/export.ts';
export * from './tracing/spans.ts';
export * from './tracing/trace.ts';
export { versionOf } from './version.ts';
