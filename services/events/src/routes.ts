import type { AnyOperation } from '@boxoffice/http';
import type { Context } from './context.ts';
import { feedRoutes } from './feed/routes.ts';

/** Every operation of the events service. */
export const routes = (context: Context): AnyOperation[] => [...feedRoutes(context)];
