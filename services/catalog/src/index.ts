export { catalog } from './app.ts';
export { type PaymentMethod, type PointOfSaleDetails, paymentMethods } from './domain/point-of-sale.ts';
export type { Institution } from './domain/tariff.ts';
export { examples, schemas } from './events.ts';
export { createInstitution, listInstitutions } from './provisioning/institutions.ts';
export {
  type CreatedProduct,
  createPointOfSale,
  createProduct,
  createTariff,
  listPointsOfSale,
} from './provisioning/seed.ts';
export {
  type PerformanceDocument,
  type PlaceDocument,
  type ProductDocument,
  performances,
  places,
  products,
} from './store.ts';
