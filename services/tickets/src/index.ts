export { tickets } from './app.ts';
export { rotateBarcodeKey } from './barcode/keys.ts';
export type { Status } from './domain/ticket.ts';
export { type TicketDocument, ticketsCollection } from './store.ts';
