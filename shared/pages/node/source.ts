import { publicTarget, type Resolve } from '../../platform/http-client/guarded.ts'
import { askAt } from '../ask.ts'
import type { PageSource, PageSourceOptions } from '../source.ts'

export interface NodeSourceOptions extends Omit<PageSourceOptions, 'resolverUrl'> {
  /** For runtimes that do not resolve names themselves. */
  resolverUrl?: string
  /** How names are resolved; the system's way unless it is given. */
  resolve?: Resolve
}

/** Pages over node:http, whose connections go to the addresses that were looked at. */
export function pageSource(options: NodeSourceOptions): PageSource {
  return { ask: async (url, request) => askAt(publicTarget(url, options), request) }
}
