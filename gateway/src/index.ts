export { type AccessLog, bufferedAccess, loggedAccess } from './access-log.ts';
export { ownDocument, ownVersionDocument, VERSION, versions } from './own-operations.ts';
export { createRevocations } from './revocations.ts';
export { certificateFrom, openAccessLog, runGateway } from './run.ts';
export type { ServiceName } from './services.ts';
export { gatewaySettings, optionsFrom } from './settings.ts';
export { type Gateway, type GatewayOptions, startGateway } from './start.ts';
