import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

/** The components that `sst install` unpacks, with their packages. */
export const platform = join(root, '.sst/platform')
