import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'

/**
 * How code becomes one file. ES modules are taken before CommonJS because they can be
 * tree-shaken; names are not kept because keeping them costs a tenth of the import time.
 */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions

/** Its Node module brings a DOM of its own, for HTML as text; it is given documents alone. */
const turndown = 'turndown/lib/turndown.browser.es.js'

/** How every function becomes one file, locally and deployed. */
export const functionOptions = {
  ...bundleOptions,
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'credentials.ts'),
    turndown,
  },
} as const satisfies BuildOptions

/** How a function becomes one file for a container of its own. */
export const serviceOptions = {
  ...bundleOptions,
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'container-credentials.ts'),
    turndown,
  },
} as const satisfies BuildOptions

/**
 * How a function becomes one file for workerd. The browser's half of the AWS SDK speaks by fetch and looks for no
 * credentials in files; workerd lends what is left of Node's.
 */
export const workerOptions = {
  ...bundleOptions,
  platform: 'browser',
  target: 'es2024',
  format: 'esm',
  mainFields: ['browser', 'module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
} as const satisfies BuildOptions

/** How the client becomes one module for browsers, Node and workerd. */
export const clientOptions = {
  ...bundleOptions,
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
} as const satisfies BuildOptions

/** How the command line becomes one file for Node. */
export const commandOptions = {
  ...bundleOptions,
  target: 'node20',
  format: 'esm',
  banner: { js: '#!/usr/bin/env node' },
} as const satisfies BuildOptions
