import * as runtime from 'react/jsx-runtime';
import { shown } from './shown.ts';

/**
 * Every element of the page is made here, so that no view can forget it: what goals, models and tools write is shown in
 * the order in which it is written.
 */
export const jsx: typeof runtime.jsx = (type, props, key) => runtime.jsx(type, shown(type, props), key);
export const jsxs: typeof runtime.jsxs = (type, props, key) => runtime.jsxs(type, shown(type, props), key);
export const { Fragment } = runtime;
