export {
  isSecretParameter,
  markedSecret,
  secretsIn,
  secretsOf,
  urlSecrets,
  withForms,
  withoutNames,
} from './declared-secrets.ts';
export {
  asShown,
  checkOpened,
  fillSealedRefs,
  opaqueForOnce,
  type Secrets,
  sealingOf,
  withOpenedCheck,
} from './sealing.ts';
