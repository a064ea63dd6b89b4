export { networkOf } from './address-network.ts';
export { type Certificate, type CertificateFiles, certificateFiles, readCertificate } from './certificate.ts';
export * from './common-settings.ts';
export { type DevelopmentCertificate, developmentCertificate } from './development-certificate.ts';
export { ensureDirectory } from './directory.ts';
export { FAREWELL_MS } from './farewell.ts';
export { type Check, createHealth, type Health, type HealthAnswer } from './health.ts';
export { createInstances, type Instances, type InstancesOptions } from './instances.ts';
export { keepSecret, readKeptSecret } from './kept-secret.ts';
export { type Limits, type Listening, type ListenOptions, listen } from './listen.ts';
export type { LogFields } from './log-fields.ts';
export { createLogger, type Logger, type LoggerOptions, type LogLevel, logLevels } from './logger.ts';
export {
  createMetrics,
  type Meter,
  type Metrics,
  nameOperation,
  type Observe,
  type Reading,
  statusOf,
} from './metrics.ts';
export { type OperationsOptions, serveOperations } from './operations.ts';
export { type Persistent, persistently } from './persistently.ts';
export { logRefused, type OnRefused, type Refusal, type RefusalAnswer, type Refuse } from './refusal.ts';
export { followCertificate } from './renewed-certificate.ts';
export { seal, sealingKey, unseal } from './sealed.ts';
export {
  deriveServiceSecret,
  serviceRootSecret,
  serviceSecretFromRoot,
  serviceSecretOf,
} from './service-secret.ts';
export * from './setting-kinds.ts';
export { differentPorts } from './setting-rules.ts';
export {
  type Environment,
  readServerSettings,
  readSettings,
  type Setting,
  type Settings,
  SettingsFault,
  type SettingsSpec,
} from './settings.ts';
export * from './spans.ts';
export { explain, failStart, reasonOf, StartFault, startErrorText } from './start-fault.ts';
export { createStop, type Stop, type StopOptions } from './stop.ts';
export { watchCertificate, watchDirectory, watchSurroundings } from './surroundings.ts';
export * from './trace.ts';
export { startTraces, traceSettings } from './traces.ts';
export { trustAuthorities } from './trust.ts';
export { versionOf } from './version.ts';
