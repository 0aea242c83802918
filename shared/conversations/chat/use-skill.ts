import { findSkill } from '#shared/agents/workspace/skills/catalogue.ts'
import { type InstalledSkill, readSkill } from '#shared/agents/workspace/skills/installed.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { chooseAgent } from './choose-agent.ts'
import { type ChatContext, converseWhole } from './converse.ts'
import type { ChatAnswer } from './schema.ts'

/** A use of a skill. */
export interface SkillUse {
  skillId: string
  /** Default: the user's newest running agent. */
  agentId?: string | undefined
  input: string
}

/**
 * Has an agent process an input with one of its skills. It is a separate turn in the chat's history: the agent has its
 * usual knowledge, but no other conversation.
 * @throws PlatformError 404 for an unknown skill or agent, 409 SKILL_NOT_INSTALLED or SKILL_DISABLED, and the errors of
 * a turn: chat/converse.ts
 */
export async function useSkill(
  ctx: ChatContext,
  { skillId, agentId, input }: SkillUse,
): Promise<ChatAnswer> {
  const agent = await chooseAgent(ctx, { agentId })
  if (agent === undefined) throw notFound('Agent')
  const skill = await readSkill(ctx, { agent, skillId })
  if (skill === undefined) throw absent(skillId)
  if (!skill.enabled)
    throw new PlatformError('conflict', 'The skill is disabled', { code: 'SKILL_DISABLED' })
  return converseWhole(
    { ...ctx, platform: 'skill' },
    {
      message: input,
      agentId: agent.id,
      stream: false,
      instructions: instructionsOf(skill),
      alone: true,
    },
  )
}

function absent(skillId: string): PlatformError {
  if (findSkill(skillId) === undefined) return notFound('Skill')
  return new PlatformError('conflict', 'The skill is not installed in this agent', {
    code: 'SKILL_NOT_INSTALLED',
  })
}

/** Returns the skill's full instructions: with many installed skills, the agent's own prompt may shorten them. */
function instructionsOf({ name, document }: InstalledSkill): string {
  const text = document.replace(/^---\n[\s\S]*?\n---\n/, '').trim()
  return `Work on the next message by the skill “${name}”:\n\n${text}`
}
