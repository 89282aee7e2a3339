/** Where the runs are, unless in this folder. `--server` and `--token` set the same. */
export const SERVER = 'DANDORI_SERVER';
export const TOKEN = 'DANDORI_TOKEN';
