export {
  type Certificate,
  type CertificateFiles,
  declareCertificateFiles,
  followCertificate,
  readCertificate,
  trustAuthorities,
} from './certificates.ts';
export {
  type Addresses,
  type Attempt,
  createAddresses,
  type Endpoint,
  type Resolve,
  toNetwork,
} from './connections/addresses.ts';
export { ConnectTimeout, limitConnecting } from './connections/connecting.ts';
export { createHttpClient, type HttpAnswer, type HttpCall, isLastAnswer } from './connections/http-client.ts';
export { ensureDevelopmentCertificate, listReachableHosts } from './development-certificate.ts';
export { ensureDirectory, replaceFile } from './files.ts';
export { buildIdPattern, computeDigest, createId, createRandomId, deriveId, encodeBase32 } from './ids.ts';
export { DRAIN_MS, SERVICE_DRAIN_MS } from './listen/drain.ts';
export { type Check, createHealth, type Health, VERSION_HEADER } from './listen/health.ts';
export { getListeningPorts, type Listening, type ListenOptions, listen, serveOperations } from './listen/listen.ts';
export { logRefusals, type OnRefused, type Refusal, type Refuse } from './listen/refusal.ts';
export { createLogger, type LogFields, type Logger, type LogLevel, logLevels } from './logger.ts';
export { getOwnMember } from './members.ts';
export {
  createMetrics,
  type Meter,
  type Metrics,
  nameOperation,
  type Observe,
  type Reading,
  toStatusClass,
  watchCertificate,
  watchDirectory,
  watchSurroundings,
} from './metrics.ts';
export { endWithReader } from './output.ts';
export { deriveSealingKey, readStoredSecret, seal, storeSecret, unseal } from './secrets.ts';
export * from './settings/kinds.ts';
export {
  type Environment,
  readServerSettings,
  readSettings,
  requireDifferentPorts,
  requireSetting,
  type Setting,
  type Settings,
  SettingsFault,
  type SettingsSpec,
} from './settings/settings.ts';
export * from './settings/shared.ts';
export { explain, failStart, getErrorCode, StartFault } from './settings/start-fault.ts';
export { createStop, type Stop } from './stop.ts';
export * from './time.ts';
export * from './tracing.ts';
export { readVersion } from './version.ts';
