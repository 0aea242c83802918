import type { Surface } from '#shared/manifest/index.ts'
import { apis } from './apis.ts'
import { edges } from './edge.ts'

/**
 * The public address of each surface: its own domain (WEB_URL and so on), else its edge's, else its API's. Known before any
 * function exists, because functions get the addresses as settings.
 */
export const urls: Record<Surface, $util.Input<string>> = {
  web: addressOf('web'),
  backend: addressOf('backend'),
  summarizer: addressOf('summarizer'),
}

function addressOf(surface: Surface): $util.Input<string> {
  const configured = process.env[`${surface.toUpperCase()}_URL`]
  if (configured !== undefined && configured !== '') return configured
  const edge = edges[surface]
  return edge === undefined ? apis[surface].url : $interpolate`https://${edge.domainName}`
}
