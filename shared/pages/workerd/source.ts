import { targetOf } from '../../platform/http-client/connections.ts'
import { requirePublicName } from '../../platform/http-client/public-name.ts'
import { checkUrl } from '../../platform/http-client/public-url.ts'
import { askAt } from '../ask.ts'
import type { PageSource, PageSourceOptions } from '../source.ts'

/**
 * Pages over workerd, which resolves names itself and cannot be told an address to connect to. So a name is looked up
 * before it is asked, and what may be connected to is workerd's to hold: Cloudflare's network leads to no private address,
 * and workerd elsewhere is told that only public ones may be reached.
 */
export function pageSource({ allowed, resolverUrl }: PageSourceOptions): PageSource {
  return {
    async ask(url, request) {
      if (!checkUrl(url, allowed))
        await requirePublicName(url.hostname, { resolverUrl, signal: request.signal })
      const { auth: _, ...target } = targetOf(url.href)
      return askAt(target, request)
    },
  }
}
