/** Node does not run TypeScript below `node_modules`, so a tarball of the sources would install and not start. */
console.error(
  'This folder holds the sources. In the root of the repository: npm run build && npm pack ./packages/dandori/dist',
);
process.exitCode = 1;
