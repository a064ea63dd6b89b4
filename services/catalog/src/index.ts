export { catalog } from './app.ts';
export { type PaymentMethod, paymentMethods } from './domain/point-of-sale.ts';
export type { Institution } from './domain/tariff.ts';
export { detectMovedLocalTime, keepInstant, keepLocalTime, listMovedLocalTimes } from './performances/local-times.ts';
export { deriveCodeId } from './pricing/batches.ts';
export {
  changeReceipt,
  createInstitution,
  createPointOfSale,
  listInstitutions,
  listPointsOfSale,
  readReceipt,
} from './provisioning.ts';
export {
  type CodeDocument,
  discountCodes,
  type PerformanceDocument,
  type PlaceDocument,
  performances,
  places,
  priceRules,
  products,
  type RuleDocument,
} from './store.ts';
