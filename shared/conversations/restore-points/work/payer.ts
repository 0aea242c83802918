import { findUser, isAdmin } from '#shared/accounts/users/user.ts'
import { skillLimit } from '#shared/agents/workspace/skills/limit.ts'
import type { PlanName } from '#shared/money/plans/plans.ts'
import { awakeLimit, planOfTier, planWithin } from '#shared/money/plans/tiers.ts'
import type { RestoreWork, RestoreWorkContext } from './context.ts'

/** Returns the limits of the owner's current plan, which may be lower than when the restore point was created. */
export async function roomOf(
  { table, config }: Pick<RestoreWorkContext<'provisioning'>, 'table' | 'config'>,
  { restore, content }: Pick<RestoreWork, 'restore' | 'content'>,
): Promise<{ plan: PlanName; places: number; awakeLimit: number | undefined }> {
  const user = await findUser(table, restore.userId)
  if (user === undefined)
    return { plan: planOfTier(content.agent.plan).name, places: 0, awakeLimit: undefined }
  const payer = { ...user, isAdmin: isAdmin(user, config.ADMIN_EMAILS) }
  return {
    plan: planWithin(payer, content.agent.plan).name,
    places: skillLimit(payer),
    awakeLimit: awakeLimit(payer, config),
  }
}
