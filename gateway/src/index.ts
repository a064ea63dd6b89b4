export { createRevocations } from './authorization/revocations.ts';
export { ownDocument, ownVersionDocument, VERSION, versions } from './descriptions/own-operations.ts';
export { certificateFrom, openAccessLog, runGateway } from './run.ts';
export type { ServiceName } from './services.ts';
export { gatewaySettings, optionsFrom } from './settings.ts';
export { type Gateway, type GatewayOptions, startGateway } from './start.ts';
export { type AccessLog, bufferedAccess, loggedAccess } from './telemetry/access-log.ts';
