// Acceptance of the whole product: black-box clients, fault scenarios and checks of the repository.

export { type Call, type Client, clientOf, type Door, type Reply } from './client.ts';
export { type ConcurrentSale, openConcurrentSale, type SaleCounts, type SaleVerdict } from './concurrent-sale.ts';
