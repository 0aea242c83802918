import type { Context } from 'hono'
import { equalInConstantTime, hmacSha256, toBase64Url } from '../platform/crypto.ts'

const agentHeader = 'x-agent-id'
const proofHeader = 'x-agent-proof'

/** The maximum difference between a proof's time and the receiver's clock, in either direction. */
const validMs = 60_000

async function signatureOf(agentId: string, time: string, originSecret: string): Promise<string> {
  return toBase64Url(await hmacSha256(originSecret, `agent ${agentId} ${time}`))
}

/**
 * Returns the headers of a call between functions of the platform on behalf of an agent. The proof is valid for one
 * minute and for one agent. Without ORIGIN_SECRET there are no headers, and the call is anonymous.
 */
export async function agentHeaders(
  agentId: string,
  originSecret: string | undefined,
): Promise<Record<string, string>> {
  if (originSecret === undefined) return {}
  const time = String(Date.now())
  const signature = await signatureOf(agentId, time, originSecret)
  return { [agentHeader]: agentId, [proofHeader]: `${time}.${signature}` }
}

/** Returns the id of the agent that a request proves; undefined if the proof is absent, invalid or expired. */
export async function provenAgent(
  context: Context,
  originSecret: string | undefined,
): Promise<string | undefined> {
  const agentId = context.req.header(agentHeader)
  const [, time, signature] = /^(\d{1,15})\.(.+)$/.exec(context.req.header(proofHeader) ?? '') ?? []
  if (agentId === undefined || time === undefined || signature === undefined) return undefined
  if (originSecret === undefined || Math.abs(Date.now() - Number(time)) > validMs) return undefined
  const right = await signatureOf(agentId, time, originSecret)
  return (await equalInConstantTime(signature, right)) ? agentId : undefined
}
