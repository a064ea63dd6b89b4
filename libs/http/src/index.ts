export { type AppOptions, createApp } from './app.ts';
export { BODY_LIMIT_BYTES } from './body.ts';
export type { Position } from './cursor.ts';
export { type Family, familyA } from './family.ts';
export { IDEMPOTENCY_RETENTION_MS, type IdempotencyPort, MAX_IDEMPOTENCY_KEY_LENGTH } from './idempotency.ts';
export { mergePatch } from './merge-patch.ts';
export * from './operation.ts';
export { type Listed, type Page, type PageOptions, type PageRequest, pageOf } from './page.ts';
export * from './schemas.ts';
