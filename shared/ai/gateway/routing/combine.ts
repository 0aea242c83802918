import * as z from 'zod'
import { type PricePart, type Routing, routingForm } from '#shared/platform/model-routing.ts'
import { invalid, parseRequest } from '../parse.ts'

/** The header with the routing of one request. */
export const routingHeader = 'x-routing'

/** Parses the header. @throws PlatformError 400 that names the invalid field */
export function readRouting(header: string | null): Routing | undefined {
  if (header === null) return undefined
  let value: unknown
  try {
    value = JSON.parse(header)
  } catch {
    throw invalid(routingHeader, `${routingHeader} must be JSON: {"order": ["name"]}`)
  }
  const form = z.object({ [routingHeader]: routingForm() })
  return parseRequest(form, { [routingHeader]: value })[routingHeader]
}

/**
 * Combines routings. The first one with an order or weights decides both. If there are several highest prices, the
 * lowest applies, so that a request cannot raise the price of its key or plan.
 * @param routings the request's, the key's and the plan's
 */
export function combineRouting(routings: readonly (Routing | undefined)[]): Routing {
  const { order, weights } =
    routings.find((each) => each?.order !== undefined || each?.weights !== undefined) ?? {}
  const parts = routings.flatMap((each) => Object.entries(each?.maxPriceUsd ?? {}))
  const lowest: { [Part in PricePart]?: number } = {}
  for (const [part, usd] of parts as [PricePart, number][])
    lowest[part] = Math.min(usd, lowest[part] ?? usd)
  return {
    ...(order && { order }),
    ...(weights && { weights }),
    ...(parts.length > 0 && { maxPriceUsd: lowest }),
  }
}
