export { createPayments, payments } from './app.ts';
export {
  createErrorResponse,
  createSimulatedFetch,
  type Disturb,
  type Execution,
  type ProviderRequest,
} from './simulator/api.ts';
