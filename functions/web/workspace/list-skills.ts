import { listSkills } from '../../../shared/skills/list.ts'
import { skillAnswers, skillFilter } from '../../../shared/skills/schema.ts'
import { route } from './services.ts'

export const getSkills = route({
  method: 'GET',
  path: '/api/skills',
  summary: 'The skills that agents can be given, and which of them one’s own agent has',
  tag: 'skills',
  guard: 'optional-session',
  query: skillFilter,
  response: skillAnswers.list,
  errors: ['bad-request'],
  handle: ({ table, actor }, { query }) =>
    listSkills(table, actor.type === 'user' ? actor.user.id : undefined, query),
})
