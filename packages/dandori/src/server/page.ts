import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MiddlewareHandler } from 'hono';
import type { Env } from './parts.ts';

/**
 * In the published package beside the compiled code, in the repository where vite puts it. In this order: seen from an
 * installed package, the second place is one of another package.
 */
const PLACES = ['../../page', '../../../web/dist'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** All that the page may do: load its own files and talk to this server. React sets styles by script, which is no text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FOR_A_YEAR = 'public, max-age=31536000, immutable';
const VIEWS = /^\/(?:$|(?:runs|conversations|dashboard|tools)(?:\/|$))/;

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly caching: string;
}

interface Page {
  /** Of the page itself, in which nothing of a run is. */
  has(path: string): boolean;
  readonly handler: MiddlewareHandler<Env>;
}

/**
 * The page is a handful of files, which are read once: no path of a request ever reaches the disk. Every view has an
 * address of its own, and all of them are the same file.
 */
export function createPage(): Page {
  const files = readFiles(PLACES.find((place) => existsSync(join(place, 'index.html'))));
  const index = files.get('/index.html');
  const fileAt = (path: string) => files.get(path) ?? (VIEWS.test(path) ? index : undefined);
  return {
    has: (path) => fileAt(path) !== undefined,
    async handler(c, next) {
      const file = isReading(c.req.method) ? fileAt(c.req.path) : undefined;
      // At `/` programs are told where the API is described.
      const isForProgram = c.req.path === '/' && !(c.req.header('accept') ?? '').includes('text/html');
      if (file === undefined || isForProgram) return next();
      c.header('Content-Security-Policy', POLICY);
      c.header('Cache-Control', file.caching);
      return c.body(file.body, 200, { 'Content-Type': file.type });
    },
  };
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function readFiles(folder: string | undefined): ReadonlyMap<string, PageFile> {
  if (folder === undefined) return new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths
      .filter((path) => extname(path) in TYPES)
      .map((path) => {
        const body = new Uint8Array(readFileSync(join(folder, path)));
        const type = TYPES[extname(path)] ?? '';
        // The names of these hold a digest of what is in them.
        const caching = path.startsWith('assets') ? FOR_A_YEAR : 'no-cache';
        return [`/${path.replaceAll('\\', '/')}`, { body, type, caching }] as const;
      }),
  );
}
