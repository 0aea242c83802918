import type { BuildOptions } from 'esbuild'
import { type Entry, entryModule, serverModule, workerModule } from './entry.ts'
import { functionOptions, programOptions, serviceOptions, workerOptions } from './options.ts'

/** A target that functions are bundled for. */
export interface BundleTarget {
  options: BuildOptions & { metafile: true }
  /** Returns the first module of a function's bundle. */
  moduleOf: (entry: Entry) => string
  /** True if parts become separate files. Otherwise they are included in the bundle. */
  separate: boolean
  /** The name of the bundle in the function's folder. */
  file: 'index.cjs' | 'index.js'
}

/** Lambda, and its imitation in the local stack. */
export const lambda: BundleTarget = {
  options: functionOptions,
  moduleOf: entryModule,
  separate: true,
  file: 'index.cjs',
}

/** workerd, on one machine and at Cloudflare. */
export const worker: BundleTarget = {
  options: workerOptions,
  moduleOf: workerModule,
  separate: false,
  file: 'index.js',
}

/** A process in a container that serves plain HTTP. */
export const service: BundleTarget = {
  options: serviceOptions,
  moduleOf: serverModule,
  separate: true,
  file: 'index.cjs',
}

/** A program that runs on this machine: one file, which Node starts faster than its sources. */
export const program: BundleTarget = {
  options: programOptions,
  moduleOf: ({ entry }) => `import './${entry}'`,
  separate: false,
  file: 'index.js',
}
