import { findUser, isAdmin } from '#shared/accounts/users/user.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { parse } from '#shared/money/amounts/amount.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { PaidGatewayContext, PaidWork } from '../context.ts'
import { divide } from '../sales/divide.ts'
import type { AskAgent, GatewayAnswer } from '../schema.ts'
import { askTurn } from '../turns/ask.ts'

/**
 * Returns an answer of an agent whose owner has enabled this (`config.paidGateway`) and has an active plan. The owner
 * earns the price, less the tokens and the platform's share. An agent without this setting counts as missing.
 * @throws PlatformError 404
 */
export async function askAgent(
  ctx: PaidGatewayContext,
  { agentId, message }: AskAgent,
): Promise<PaidWork<GatewayAnswer>> {
  const agent = await findAgent(ctx, { agentId, owner: undefined })
  const { userId } = agent ?? {}
  if (!userId || agent?.config.paidGateway !== true) throw notFound('Agent')
  const owner = await findUser(ctx.table, userId)
  if (owner === undefined) throw notFound('Agent')
  if (!isPaying(owner.subscription.status) && !isAdmin(owner, ctx.config.ADMIN_EMAILS))
    throw notFound('Agent')
  return {
    seller: { userId, agentId },
    async run(deadline) {
      const question = { agentId, userId, message, earnsMicroUsd: earningsOf(ctx.config) }
      const { answer, turn } = await askTurn(ctx, question, deadline)
      const { message: _said, ...told } = answer
      return { answer: { plugin: 'agent', ...told }, turn }
    },
  }
}

/** Returns the owner's earnings before the cost of tokens, in millionths of a US dollar. */
function earningsOf({
  X402_PRICE_USD,
  X402_PLATFORM_SHARE: sharePercent,
}: PaidGatewayContext['config']): number {
  const price = Number(parse('USDC', X402_PRICE_USD).minor)
  return divide({ price, tokenCost: 0, sharePercent }).net
}
