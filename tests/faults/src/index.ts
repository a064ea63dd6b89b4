// The fault plan, and of it what other programs use: a sale whose buyers know what they were told.

export { type ConcurrentSale, openConcurrentSale, type SaleCounts, type SaleVerdict } from './concurrent-sale.ts';
