export {
  asShown,
  checkOpened,
  injectSealed,
  opaqueForOnce,
  type Secrets,
  sealingOf,
  withOpenedCheck,
} from './sealing.ts';
