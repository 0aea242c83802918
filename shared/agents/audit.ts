import { audit, type AuditAction, type AuditContext } from '../identity/audit.ts'
import type { Write } from '../platform/table/port.ts'
import { type Agent, ownerOf } from './agent.ts'

/** The audit's entry of what a caller makes of an agent, in its owner's audit. */
export function auditAgent(
  ctx: AuditContext,
  action: AuditAction,
  { before, after }: { before?: Agent; after?: Agent },
): Promise<Write> {
  const agent = after ?? before
  if (agent === undefined) throw new Error('an entry of no agent')
  return audit(ctx, action, {
    userId: ownerOf(agent),
    target: agent.id,
    before: before && decided(before),
    after: after && decided(after),
    unproven: true,
  })
}

/** What people decide about an agent, without its secrets. */
function decided({
  id,
  name,
  model,
  plan,
  aiProvider,
  config,
  lineage,
  verification,
  desired,
  generation,
  tokenVersion,
  pinnedImage,
  stoppedByOperator,
}: Agent) {
  const made = { id, name, model, plan, aiProvider, config, lineage, verification }
  return { ...made, desired, generation, tokenVersion, pinnedImage, stoppedByOperator }
}
