// Acceptance of the whole product, and checks of the repository.

export { type Product, startProduct } from './product.ts';
