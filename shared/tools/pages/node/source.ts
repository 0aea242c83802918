import { publicTarget, type Resolve } from '#shared/platform/http-client/guarded.ts'
import { askAt } from '../ask.ts'
import type { PageSource, PageSourceOptions } from '../source.ts'

export interface NodeSourceOptions extends Omit<PageSourceOptions, 'resolverUrl'> {
  /** For runtimes that cannot resolve names themselves. */
  resolverUrl?: string
  /** Resolves names; defaults to the system's resolver. */
  resolve?: Resolve
}

/** Requests pages over node:http. Connections go only to the checked addresses. */
export function pageSource(options: NodeSourceOptions): PageSource {
  return { ask: async (url, request) => askAt(publicTarget(url, options), request) }
}
