// One file, because each process that runs a test file starts a PostgreSQL of its own.
import './suite.ts';
import './pglite.ts';
import './engines.ts';
import './restate.ts';
import './leases.ts';
import './tables.ts';
import './copy.ts';
import './kept.ts';
import './parked.ts';
import './sub-goals.ts';
import './workers.ts';
import './client.ts';
