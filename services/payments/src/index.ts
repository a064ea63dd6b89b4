export { createPayments, payments } from './app.ts';
export { acknowledgeMismatch, createProviderOperator, type PaymentProviderSummary } from './operator.ts';
export { createErrorResponse, type Disturb, type Execution, type ProviderRequest } from './simulator/api.ts';
export { createSimulator } from './simulator/simulator.ts';
export { type SimulatedSession, simulatedSessionsCollection } from './simulator/store.ts';
export { signWebhook } from './simulator/webhooks.ts';
export { type PaymentDocument, paymentsCollection, type RefundDocument, refundsCollection } from './store.ts';
