import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const source = new URL('../dandori/src/', import.meta.url).pathname;

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: [
      { find: /^#dandori\//, replacement: source },
      { find: /^zod$/, replacement: new URL('./src/zod.ts', import.meta.url).pathname },
    ],
  },
  build: {
    // The server forbids scripts within the page, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    // `npm ci` builds the page too, and timings would only be noise there.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: { format: 'es' },
  // While the page is worked on: `dandori serve` beside `npm run page`.
  server: { proxy: { '/api': 'http://127.0.0.1:4310' } },
});
