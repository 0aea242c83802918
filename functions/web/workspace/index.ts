import { postAgent } from './act-on-agent.ts'
import { getAgent } from './ask-agent.ts'
import { postSkill } from './install-skill.ts'
import { getSkills } from './list-skills.ts'
import { getMemory } from './read-memory.ts'
import { deleteSkill } from './uninstall-skill.ts'
import { postSkillUse } from './use-skill.ts'
import { postMemory } from './write-memory.ts'

export const routes = [
  getAgent,
  postAgent,
  getMemory,
  postMemory,
  getSkills,
  postSkill,
  deleteSkill,
  postSkillUse,
]
