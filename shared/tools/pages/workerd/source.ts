import { targetOf } from '#shared/platform/http-client/connections.ts'
import { requirePublicName } from '#shared/platform/http-client/public-name.ts'
import { checkUrl } from '#shared/platform/http-client/public-url.ts'
import { askAt } from '../ask.ts'
import type { PageSource, PageSourceOptions } from '../source.ts'

/**
 * Requests pages over workerd, which resolves names itself and cannot connect to a given address. So the name is
 * resolved and checked before the request, and workerd limits the connection: Cloudflare's network reaches no private
 * address, and other deployments configure workerd for public addresses only.
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
