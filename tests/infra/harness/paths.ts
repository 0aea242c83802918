import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** Where `sst install` unpacks the components and installs their packages. */
export const platform = join(root, '.sst/platform')
