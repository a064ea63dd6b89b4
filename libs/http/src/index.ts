export { type Admit, insufficientScope, requireScope } from './access.ts';
export { faultOf } from './answers/outcome.ts';
export { createApp } from './app/app.ts';
export { type AppOptions, INSTITUTION_HEADER, KNOWN_SESSION_HEADER, SHARED_MS_HEADER } from './app/handle.ts';
export { type IdempotencyPort, MOST_ANSWERS_PER_SESSION } from './app/idempotency.ts';
export { exampleFaults } from './description/examples.ts';
export { openApiDocument, type Tags } from './description/openapi.ts';
export { dereferenced, withoutUnused } from './description/references.ts';
export type { DescribedWebhook } from './description/webhooks.ts';
export { sharedComponents } from './families/components.ts';
export { type Family, familyA, scopeWords } from './families/family.ts';
export { EXAMPLE_HOST, familyB } from './families/family-b.ts';
export {
  asOfReading,
  type ChangesPage,
  changesPageOf,
  type Listed,
  type PageRequest,
  pageOf,
} from './lists.ts';
export { acceptedTags, canonicalTag, languagesFor, matchingTag, textIn } from './locale/languages.ts';
export {
  capitalised,
  datesIn,
  EXPONENTS,
  exponentOf,
  isCurrency,
  localeIn,
  moneyIn,
  regionOf,
  seatIn,
} from './locale/spoken.ts';
export { deprecatedMember, named } from './named.ts';
export * from './operation.ts';
export { BODY_LIMIT_BYTES, ClientGone, readBody, textOf } from './requests/body.ts';
export { isKnown, qualityOf } from './requests/headers.ts';
export { mergePatch, readOnlyOf } from './requests/read-only.ts';
export * from './schemas.ts';
export { lineOf, originOf } from './validation/texts.ts';
export { createCheck, createItemCheck } from './validation/validators.ts';
export * from './web-addresses.ts';
