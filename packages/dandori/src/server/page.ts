import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MiddlewareHandler } from 'hono';
import type { Env } from './parts.ts';

/**
 * The built page: next to the compiled code in the published package, or the output of vite in the
 * repository. The order matters. In an installed package, the second path belongs to a different package.
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

/**
 * The page may only load its own files and call this server. React sets styles by script, which the policy
 * allows.
 */
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
  /** Whether the path belongs to the page, which contains nothing about runs. */
  has(path: string): boolean;
  readonly handler: MiddlewareHandler<Env>;
}

/**
 * The page's files are read once at startup, so no request path ever reaches the disk. Every view has its own
 * address, and all of them return the same file.
 */
export function createPage(): Page {
  const files = readFiles(PLACES.find((place) => existsSync(join(place, 'index.html'))));
  const index = files.get('/index.html');
  const fileAt = (path: string) => files.get(path) ?? (VIEWS.test(path) ? index : undefined);
  return {
    has: (path) => fileAt(path) !== undefined,
    async handler(c, next) {
      const file = isReading(c.req.method) ? fileAt(c.req.path) : undefined;
      // At `/`, programs get a pointer to the API description instead of the page.
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
        // The names of these files contain a hash of their content.
        const caching = path.startsWith('assets') ? FOR_A_YEAR : 'no-cache';
        return [`/${path.replaceAll('\\', '/')}`, { body, type, caching }] as const;
      }),
  );
}
