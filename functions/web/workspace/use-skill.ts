import { chatAnswer } from '../../../shared/chat/schema.ts'
import { skillParams, skillUse } from '../../../shared/skills/schema.ts'
import { useSkill } from '../../../shared/skills/use.ts'
import { turnErrors } from '../../common/turn-errors.ts'
import { route } from './services.ts'

export const postSkillUse = route({
  method: 'POST',
  path: '/api/skills/:name',
  summary: 'Have an agent work on an input by one of its skills',
  tag: 'skills',
  guard: 'session',
  params: skillParams,
  body: skillUse,
  response: chatAnswer,
  idempotent: true,
  errors: turnErrors,
  handle: (context, { params, body }) =>
    useSkill(
      { ...context, userId: context.actor.user.id, signal: context.request.signal },
      { ...body, skillId: params.name },
    ),
})
