import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

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

const paymentSchemas = 'schemas of payments'

/**
 * Leaves out the modules of @x402/core that nothing uses. They only define values, but their package does not say so, and
 * without this each function that knows a token's name contains 64 KB of schemas.
 */
const unusedSchemas: Plugin = {
  name: 'unused schemas of @x402/core',
  setup(build) {
    build.onResolve({ filter: /^@x402\/core\// }, async ({ path, ...from }) => {
      if (from.pluginData === paymentSchemas) return undefined
      const { kind, importer, resolveDir } = from
      const found = await build.resolve(path, {
        kind,
        importer,
        resolveDir,
        pluginData: paymentSchemas,
      })
      return { path: found.path, errors: found.errors, sideEffects: false }
    })
  },
}

/** Options of functions, locally and deployed. */
export const functionOptions = {
  ...bundleOptions,
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'credentials.ts'),
    turndown,
  },
  plugins: [unusedSchemas],
} as const satisfies BuildOptions

/** Options of functions in their own container. */
export const serviceOptions = {
  ...bundleOptions,
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'container-credentials.ts'),
    turndown,
  },
  plugins: [unusedSchemas],
} as const satisfies BuildOptions

const nodeModules = join(import.meta.dirname, 'worker-modules.ts')

/** Options of functions on workerd. */
export const workerOptions = {
  ...bundleOptions,
  platform: 'browser',
  target: 'es2024',
  format: 'esm',
  mainFields: ['browser', 'module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  alias: { crypto: nodeModules, querystring: nodeModules, url: nodeModules },
} as const satisfies BuildOptions

/** Replaces the place of the bundle by the place of each source, because programs read files beside their sources. */
const placesOfSources: Plugin = {
  // The name is part of the record of a build: a moved checkout builds again.
  name: `places-of-sources in ${import.meta.dirname}`,
  setup(build) {
    build.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8'))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }))
  },
}

/** Options of programs that run on this machine, beside their sources. Not minified, for their stack traces. */
export const programOptions = {
  ...bundleOptions,
  format: 'esm',
  minify: false,
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);",
  },
  plugins: [placesOfSources],
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
