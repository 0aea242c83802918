import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireProvisioning } from '#shared/agents/record/guard.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import type { Starter } from '#shared/agents/record/permit.ts'
import { describeActor } from '#shared/platform/identity/actor.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { withImage } from './target-image.ts'

/**
 * Starts an agent with another image, for a person. If the agent is never healthy with it, the watchdog returns it to
 * the previous image: states/fallback.ts.
 * @param input.image absent for the platform's own
 * @throws PlatformError 500 while KILL_SWITCH is on, 404 if it is deleted in the meantime, 402 and 409 as permitStart
 */
export async function updateImage(
  ctx: AgentContext & AuditContext & Reads<AgentSetting>,
  { agent, image, by = 'owner' }: { agent: Agent; image?: string | undefined; by?: Starter },
): Promise<Agent> {
  requireProvisioning(ctx)
  const imageChange = { at: new Date().toISOString(), by: credentialOf(ctx.actor) }
  const decide = (current: Agent) => ({
    agent: {
      ...withImage(current, image, platformsImage(ctx.config, agent.id)),
      imageChange,
      updateGeneration: current.generation + 1,
    },
    restarts: true,
  })
  const entry = ({ before, after }: Record<'before' | 'after', Agent>) =>
    audit(ctx, 'image.changed', {
      userId: ownerOf(after),
      target: after.id,
      before: { image: before.pinnedImage ?? null },
      after: { image: after.pinnedImage ?? null },
    })
  return changeByPerson(ctx, { agent, reason: 'update', by, decide, entry })
}

/** Names the credential of the caller, so that the owner recognizes a choice of somebody else. */
function credentialOf(actor: AuditContext['actor']): string {
  if (actor.type !== 'user') return describeActor(actor)
  const { keyId, grantId } = actor.user
  if (grantId !== undefined) return `program:${grantId}`
  return keyId === undefined ? 'session' : `key:${keyId}`
}
