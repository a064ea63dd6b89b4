export type { Admit, Visiting } from './admission.ts';
export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
export { asOfReading } from './as-of.ts';
export { BODY_LIMIT_BYTES, ClientGone } from './body.ts';
export { createCheck } from './check.ts';
export type { Position } from './cursor.ts';
export { exampleFaults } from './examples.ts';
export { type Family, familyA } from './family.ts';
export { familyB } from './family-b.ts';
export { faultOf } from './fault-of.ts';
export { IDEMPOTENCY_RETENTION_MS, type IdempotencyPort, MOST_ANSWERS_PER_SESSION } from './idempotency.ts';
export { insufficientScope, requireScope } from './insufficient-scope.ts';
export { mergePatch } from './merge-patch.ts';
export { type DescriptionOptions, openApiDocument } from './openapi.ts';
export * from './operation.ts';
export {
  type ChangesPage,
  changesPageOf,
  type Listed,
  type Page,
  type PageOptions,
  type PageRequest,
  pageOf,
} from './page.ts';
export { readOnlyOf } from './read-only.ts';
export * from './schemas.ts';
export { MAX_IDEMPOTENCY_KEY_LENGTH } from './shape.ts';
