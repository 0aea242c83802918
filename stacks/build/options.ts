import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'

/**
 * Options for all bundles. ES modules are preferred to CommonJS because they can be tree-shaken. Names are not kept, because
 * that costs a tenth of the import time.
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

/** Turndown's Node module includes its own DOM, for HTML as text. We only pass it documents. */
const turndown = 'turndown/lib/turndown.browser.es.js'

/** Options of functions, locally and deployed. */
export const functionOptions = {
  ...bundleOptions,
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'credentials.ts'),
    turndown,
  },
} as const satisfies BuildOptions

/** Options of functions in their own container. */
export const serviceOptions = {
  ...bundleOptions,
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'container-credentials.ts'),
    turndown,
  },
} as const satisfies BuildOptions

/**
 * Options of functions on workerd. The browser build of the AWS SDK uses fetch and looks for no credential files; workerd
 * provides the remaining Node modules.
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

/** Options of the client: one module for browsers, Node and workerd. */
export const clientOptions = {
  ...bundleOptions,
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
} as const satisfies BuildOptions

/** Options of the command line: one file for Node. */
export const commandOptions = {
  ...bundleOptions,
  target: 'node20',
  format: 'esm',
  banner: { js: '#!/usr/bin/env node' },
} as const satisfies BuildOptions
