/** What `dandori init`, `add` and `list` need to write the files of a project. A run does not load it. */
export { CONFIG_TEMPLATE } from '../template.ts';
export { importServers } from './other-hosts.ts';
export { openProjectFile, type ProjectFile } from './project-file.ts';
export { separateSecrets } from './server-secrets.ts';
