export { type Admit, createInsufficientScopeFault, requireScope } from './access.ts';
export { selectCoding } from './answers/compressed.ts';
export { toFault } from './answers/outcome.ts';
export { createApp } from './app/app.ts';
export { type AppOptions, INSTITUTION_HEADER, KNOWN_SESSION_HEADER, SHARED_MS_HEADER } from './app/handle.ts';
export { type IdempotencyPort, MOST_ANSWERS_PER_SESSION } from './app/idempotency.ts';
export { findExampleFaults } from './description/examples.ts';
export { buildOpenApiDocument, type Tags } from './description/openapi.ts';
export { dereference, removeUnusedComponents } from './description/references.ts';
export type { DescribedWebhook } from './description/webhooks.ts';
export { buildSharedComponents } from './families/components.ts';
export { type Family, familyA, scopeWords } from './families/family.ts';
export { EXAMPLE_HOST, familyB } from './families/family-b.ts';
export {
  type ChangesPage,
  computeAsOf,
  type Listed,
  type PageRequest,
  readChangesPage,
  readPage,
} from './lists.ts';
export { canonicaliseTag, listAcceptedTags, matchTag, selectText, sortLanguages } from './locale/languages.ts';
export { formatPercent, formatPriceParts, listIncludedTaxes, listSellerLines } from './locale/receipts.ts';
export { formatReturnPolicy } from './locale/return-policy.ts';
export {
  capitalise,
  EXPONENTS,
  formatMoney,
  formatSeat,
  getCurrencyRegion,
  isCurrency,
  selectDateLocale,
  selectLocale,
} from './locale/spoken.ts';
export { deprecateMember, named } from './named.ts';
export * from './operation.ts';
export { BODY_LIMIT_BYTES, ClientGone, readBody, readBodyText } from './requests/body.ts';
export { isKnown, parseQualities, parseQuality } from './requests/headers.ts';
export { listReadOnlyMembers, mergePatch } from './requests/read-only.ts';
export * from './schemas.ts';
export { normaliseLine, normaliseOrigin } from './validation/texts.ts';
export { createCheck, createItemCheck } from './validation/validators.ts';
export * from './web-addresses.ts';
