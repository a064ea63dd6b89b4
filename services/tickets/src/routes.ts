import type { AnyOperation } from '@boxoffice/http';
import type { Context } from './context.ts';
import { internalRoutes } from './internal-routes.ts';

/** Every operation of the tickets service. */
export const routes = (context: Context): AnyOperation[] => [...internalRoutes(context)];
