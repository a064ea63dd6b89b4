import { registerHooks } from 'node:module';

const MESSAGING = '@boxoffice/messaging';
const double = new URL('./messaging-double.ts', import.meta.url).href;

/** Resolves the messaging library to its double for modules loaded from now on, except in the double itself. */
export const replaceMessaging = (): void => {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== MESSAGING || context.parentURL === double) return next(specifier, context);
      return next(double, context);
    },
  });
};
