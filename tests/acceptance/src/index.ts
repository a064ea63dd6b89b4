// Acceptance of the whole product: fault scenarios and checks of the repository.

export { type ConcurrentSale, openConcurrentSale, type SaleCounts, type SaleVerdict } from './concurrent-sale.ts';
export { type Product, startProduct } from './product.ts';
