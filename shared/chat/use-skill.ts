import { chooseAgent } from './choose-agent.ts'
import { type ChatContext, converseWhole } from './converse.ts'
import type { ChatAnswer } from './schema.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { findSkill } from '../workspace/skills/catalogue.ts'
import { type InstalledSkill, readSkill } from '../workspace/skills/installed.ts'

/** What a skill is used on, and by whom. */
export interface SkillUse {
  skillId: string
  /** The user's newest running agent unless it is named. */
  agentId?: string | undefined
  input: string
}

/**
 * Has an agent work on an input by one of its skills. It is a turn of its own, kept in the chat's history: the agent
 * knows what it always knows, and nothing of other conversations.
 * @throws PlatformError 404 for a skill or an agent that is not there, 409 SKILL_NOT_INSTALLED or SKILL_DISABLED, and
 * what a turn fails with: chat/converse.ts
 */
export async function useSkill(
  ctx: ChatContext,
  { skillId, agentId, input }: SkillUse,
): Promise<ChatAnswer> {
  const agent = await chooseAgent(ctx, { userId: ctx.userId, agentId })
  if (agent === undefined) throw notFound('Agent')
  const skill = await readSkill(ctx, { agent, skillId })
  if (skill === undefined) throw absent(skillId)
  if (!skill.enabled)
    throw new PlatformError('conflict', 'The skill is switched off', { code: 'SKILL_DISABLED' })
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

/** In full: where many skills are installed, an agent's prompt may have no place for all of each. */
function instructionsOf({ name, document }: InstalledSkill): string {
  const text = document.replace(/^---\n[\s\S]*?\n---\n/, '').trim()
  return `Work on the next message by the skill “${name}”:\n\n${text}`
}
