import { type Surface, surfaces } from '#shared/manifest/index.ts'
import { apis } from './apis.ts'
import { configuredUrl, domains } from './domains.ts'
import { edges } from './edge.ts'

/**
 * The public address of each surface: its domain's or WEB_URL and so on, else its edge's, else its API's. Known before any
 * function exists, because functions get the addresses as settings.
 */
export const urls: Record<Surface, $util.Input<string>> = {
  web: addressOf('web'),
  backend: addressOf('backend'),
  summarizer: addressOf('summarizer'),
}

/** The host that the CNAME record of each domain must point to: `webCname` and so on. */
export const cnames: Record<string, $util.Input<string>> = Object.fromEntries(
  surfaces.flatMap((surface) => {
    const edge = domains[surface] && edges[surface]
    return edge === undefined ? [] : [[`${surface}Cname`, edge.domainName] as const]
  }),
)

function addressOf(surface: Surface): $util.Input<string> {
  const configured = configuredUrl(surface)
  if (configured !== undefined) return configured
  const edge = edges[surface]
  return edge === undefined ? apis[surface].url : $interpolate`https://${edge.domainName}`
}
