export { catalog } from './app.ts';
export type { Institution } from './domain/institution.ts';
export type { PointOfSaleDetails } from './domain/point-of-sale.ts';
export { examples } from './events.ts';
export { createInstitution, listInstitutions } from './institutions.ts';
export { type CreatedProduct, createPointOfSale, createProduct, createTariff, listPointsOfSale } from './seed.ts';
