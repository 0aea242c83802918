import { requireAgent } from '../../../shared/agents/find.ts'
import { memoryChange, memoryChanged, notesOf } from '../../../shared/agents/memory/schema.ts'
import { writeNotes } from '../../../shared/agents/memory/write.ts'
import { pushWorkspace } from '../../../shared/agents/workspace/push.ts'
import { route } from './services.ts'

export const postMemory = route({
  method: 'POST',
  path: '/api/memory',
  summary: 'Write one note into an agent’s memory, or several at once; null forgets one',
  tag: 'memory',
  guard: 'session',
  body: memoryChange,
  response: memoryChanged,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: async (context, { body: { agentId, ...change } }) => {
    const agent = await requireAgent(context.table, agentId, context.actor.user.id)
    const notes = notesOf(change)
    await pushWorkspace(context, await writeNotes(context.table, agent, notes))
    const saved = { success: true as const, agentId, saved: true as const }
    const { key } = change
    return key === undefined
      ? { ...saved, keysUpdated: Object.keys(notes).length }
      : { ...saved, key }
  },
})
