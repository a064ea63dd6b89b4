export { describeOwnOperations, describeOwnVersion, VERSION, versions } from './descriptions/own-operations.ts';
export { createSlidingLimiter, type SlidingLimiter } from './limits/limiters.ts';
export { ensureCertificate, openAccessLog, runGateway } from './run.ts';
export { type Gateway, type GatewayOptions, gatewaySettings, toGatewayOptions } from './settings.ts';
export { startGateway } from './start.ts';
export { createMeter, type Meter } from './telemetry/meter.ts';
export { type AccessLog, createAccessLog, createBufferedAccessLog } from './telemetry/request-log.ts';
export { createSpool, type Metered, noSpool, type Report } from './telemetry/spool.ts';
