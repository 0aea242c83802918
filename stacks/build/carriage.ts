import type { BuildOptions } from 'esbuild'
import { type Entry, entryModule, serverModule, workerModule } from './entry.ts'
import { functionOptions, serviceOptions, workerOptions } from './options.ts'

/** What functions are bundled for. */
export interface Carriage {
  options: BuildOptions & { metafile: true }
  /** The first module of a function's bundle. */
  moduleOf: (entry: Entry) => string
  /** Whether parts are files of their own; else they are in the bundle. */
  separate: boolean
  /** What the bundle is called in the function's folder. */
  file: 'index.cjs' | 'index.js'
}

/** Lambda, and the local stack's imitation of it. */
export const lambda: Carriage = {
  options: functionOptions,
  moduleOf: entryModule,
  separate: true,
  file: 'index.cjs',
}

/** workerd, on one machine and at Cloudflare. */
export const worker: Carriage = {
  options: workerOptions,
  moduleOf: workerModule,
  separate: false,
  file: 'index.js',
}

/** A process of its own that serves plain HTTP, in a container. */
export const service: Carriage = {
  options: serviceOptions,
  moduleOf: serverModule,
  separate: true,
  file: 'index.cjs',
}
