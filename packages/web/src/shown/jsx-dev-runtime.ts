import * as runtime from 'react/jsx-dev-runtime';
import { shown } from './shown.ts';

/** The same while the page is worked on. */
export const jsxDEV: typeof runtime.jsxDEV = (type, props, ...rest) =>
  runtime.jsxDEV(type, shown(type, props), ...rest);
export const { Fragment } = runtime;
