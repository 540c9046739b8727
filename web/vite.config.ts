import { defineConfig } from 'vite';

// One page, one script, one style sheet: the content policy of the server allows nothing that stands in the page itself,
// and the program has all of it inside.
export default defineConfig({
  base: '/',
  publicDir: 'public',
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    rollupOptions: {
      output: {
        entryFileNames: 'assets/plush.js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/plush[extname]',
        inlineDynamicImports: true,
      },
    },
  },
});
