export { insufficientScope, requireScope } from './access/access.ts';
export type { Admit } from './access/admission.ts';
export { faultOf } from './answers/fault-of.ts';
export { createView } from './answers/view.ts';
export { createApp } from './app/app.ts';
export { SHARED_MS_HEADER } from './app/handle.ts';
export { type IdempotencyPort, MOST_ANSWERS_PER_SESSION } from './app/idempotency.ts';
export type { AppOptions } from './app/options.ts';
export { exampleFaults } from './description/examples.ts';
export { openApiDocument, type Tags } from './description/openapi.ts';
export { dereferenced, withoutUnused } from './description/references.ts';
export type { DescribedWebhook } from './description/webhooks.ts';
export { sharedComponents } from './families/components.ts';
export { type Family, familyA } from './families/family.ts';
export { familyB } from './families/family-b.ts';
export { scopeWords } from './families/scope-words.ts';
export { EXAMPLE_HOST } from './families/wording-b.ts';
export {
  asOfReading,
  type ChangesPage,
  changesPageOf,
  type Listed,
  type PageRequest,
  pageOf,
} from './lists/page.ts';
export { acceptedTags, canonicalTag, languagesFor, matchingTag, textIn } from './locale/languages.ts';
export { EXPONENTS, exponentOf, isCurrency } from './locale/minor-units.ts';
export { capitalised, datesIn, localeIn, moneyIn, regionOf, seatIn, validityIn } from './locale/spoken.ts';
export { deprecatedMember, named } from './named.ts';
export * from './operation.ts';
export { BODY_LIMIT_BYTES, ClientGone, readBody, textOf } from './requests/body.ts';
export { qualityOf } from './requests/headers.ts';
export { mergePatch, readOnlyOf } from './requests/read-only.ts';
export * from './schemas.ts';
export { createCheck, createItemCheck } from './validation/check.ts';
export { lineOf } from './validation/texts.ts';
export * from './web-addresses.ts';
