import type * as z from 'zod'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { callUpstream, type HasX402Gateway } from './call.ts'
import { endpoints, fitness, pricing } from './schema.ts'

/** spec.md, Limits: x402 timeouts. */
const longestMs = 10_000

/**
 * Reads a resource of the gateway. A resource counts as missing if the gateway cannot be reached, returns an error, or
 * responds in another format: contract.md 10.
 * @returns undefined if it is missing
 */
async function read<S extends z.ZodType>(
  ctx: Pick<Context, 'log'> & HasX402Gateway,
  path: string,
  schema: S,
  timeoutMs = longestMs,
): Promise<z.output<S> | undefined> {
  try {
    const reply = await callUpstream(ctx, { path, timeoutMs })
    if (!isSuccess(reply.status)) throw new Error(`the x402 gateway responded with ${reply.status}`)
    return schema.parse(reply.body)
  } catch (error) {
    ctx.log.warn('a resource of the x402 gateway could not be read', { path, error })
    return undefined
  }
}

/**
 * Returns an agent's fitness; undefined if the gateway does not provide it. @param query.timeoutMs at
 * most 10 seconds
 */
export function findFitness(
  ctx: Pick<Context, 'log'> & HasX402Gateway,
  { agentId, timeoutMs = longestMs }: { agentId: string; timeoutMs?: number },
): Promise<z.output<typeof fitness> | undefined> {
  const path = `/gateway/fitness/${encodeURIComponent(agentId)}`
  return read(ctx, path, fitness, Math.min(timeoutMs, longestMs))
}

/** Returns the fitness, or spec.md's default for a new agent. */
export async function readFitness(ctx: Pick<Context, 'log'> & HasX402Gateway, agentId: string) {
  const found = await findFitness(ctx, { agentId })
  return found ?? { success: true as const, score: 50, tier: 'new', details: null }
}

/** Returns an agent's pricing; the default price of spec.md if the gateway provides no pricing. */
export async function readPricing(ctx: Pick<Context, 'log'> & HasX402Gateway, agentId: string) {
  const found = await read(ctx, `/gateway/pricing/${encodeURIComponent(agentId)}`, pricing)
  if (found !== undefined) return { ...found, agentId }
  return {
    success: true as const,
    agentId,
    tier: 'basic',
    pricing: { rate: 0.01, discount: 0 },
    fitness: { score: 50, tier: 'new' },
  }
}

/** The built-in endpoints of every gateway: spec.md, POST /api/x402. */
const builtIn = [
  { slug: 'gateway/colony/join', description: 'Join the colony', price: 'free' },
  { slug: 'gateway/fitness/:agentId', description: 'Fitness score of an agent', price: 'free' },
  { slug: 'gateway/pricing/:agentId', description: 'Dynamic price of an agent', price: 'free' },
  { slug: 'gateway/pay', description: 'Pay through the gateway', price: 'variable' },
]

/** Returns the gateway's endpoints; the built-in list if the gateway provides no list or is not configured. */
export async function readEndpoints(ctx: Pick<Context, 'log'> & HasX402Gateway) {
  const found =
    ctx.gatewayUrl === undefined ? undefined : await read(ctx, '/gateway/endpoints', endpoints)
  return { success: true as const, endpoints: found?.endpoints ?? builtIn }
}
