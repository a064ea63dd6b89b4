export { catalog } from './app.ts';
export { type PaymentMethod, paymentMethods } from './domain/point-of-sale.ts';
export type { Institution } from './domain/tariff.ts';
export { detectMovedLocalTime, keepInstant, keepLocalTime, listMovedLocalTimes } from './performances/local-times.ts';
export { createInstitution, createPointOfSale, listInstitutions, listPointsOfSale } from './provisioning.ts';
export {
  type PerformanceDocument,
  type PlaceDocument,
  performances,
  places,
  products,
} from './store.ts';
