import { registerHooks } from 'node:module';

/** The engines' libraries and their doubles. */
const doubles: Readonly<Record<string, string>> = {
  '@boxoffice/messaging': new URL('./messaging-double.ts', import.meta.url).href,
  '@boxoffice/store': new URL('./store-double.ts', import.meta.url).href,
};
const own = new Set(Object.values(doubles));

/** Resolves the engines' libraries to the doubles for modules loaded from now on, except in the doubles themselves. */
export const replaceEngines = (): void => {
  registerHooks({
    resolve(specifier, context, next) {
      const double = doubles[specifier];
      if (double === undefined || own.has(context.parentURL ?? '')) return next(specifier, context);
      return next(double, context);
    },
  });
};
